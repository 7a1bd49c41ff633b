"""Scripts that run in the Python of the cards, which does not have ptcards.

They need only the standard library of Python 3.8. Only `runner` may import the others.
"""
