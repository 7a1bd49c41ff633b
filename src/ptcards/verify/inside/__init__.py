"""Scripts run by the Python that has the cards' packages, which knows nothing about ptcards.

They only need the standard library of Python 3.8, and only `runner` may import the others.
"""
