"""What every caller of the line uses alike: the command line, and whatever watches, serves or works through a queue.

case.py: captures -> case. diagnosis.py: case -> diagnosis with causes, leads and drafts that compile. figures.py: its
pictures. Nothing here prints, and nothing knows a command line.
"""
