"""What the acceptance tests are made of: the hub as a process, and everything around it.

Start reading at `stage.py`: a test gets one `Stage` and builds on it.
"""
