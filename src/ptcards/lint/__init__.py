"""Advice on sources: the rules, what they find, what they mean and how to fix it."""
