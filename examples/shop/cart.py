"""Figures about a shopping cart. Amounts are in cents."""


def average_price(cart: dict[str, int], prices: dict[str, int]) -> float:
    """Return the average price of one article in a cart of product → quantity; 0 for an empty cart."""
    articles = sum(cart.values())
    total = sum(prices[product] * quantity for product, quantity in cart.items())
    return total / articles
