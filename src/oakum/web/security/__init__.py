"""Who may ask what: everything that is decided before a page sees a request, and what every answer carries."""
