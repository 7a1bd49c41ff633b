"""Scripts that are run by the Python that has what the cards need, which knows nothing of ptcards.

They stand alone on the standard library of Python 3.8, and only `runner` may import one of the others.
"""
