"""The agents of the synthesis loop, one a module: what each is asked, and how its reply is read."""
