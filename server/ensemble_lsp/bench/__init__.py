"""The benchmark anybody can run on their own code: does the panel earn its price?"""
