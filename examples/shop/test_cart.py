from cart import average_price

PRICES = {"mug": 1_200, "lamp": 5_200}


def test_one_article():
    assert average_price({"mug": 1}, PRICES) == 1_200


def test_quantities_weigh():
    assert average_price({"mug": 3, "lamp": 1}, PRICES) == 2_200


def test_an_empty_cart():
    assert average_price({}, PRICES) == 0
