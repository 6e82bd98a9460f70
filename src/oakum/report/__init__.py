"""A diagnosis -> what people and programs read. Looks nothing up; owns every word, English and Chinese."""
