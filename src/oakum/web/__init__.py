"""The history in a browser: pages and a JSON API over one store, by one process, on loopback (extra `oakum[serve]`).

It thinks nothing itself: what pages say comes from the store, the pipeline and the report. app.py: what is served;
security/: who may; records.py: the store behind it; pages/: one module a page; visit.py: one request.
"""
