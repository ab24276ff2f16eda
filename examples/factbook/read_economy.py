"""Readers of people and economy: languages, religions, groups, currency, trade, goods."""

from __future__ import annotations

import re

import fields
from book import Factbook
from goods import Spellings, group_names
from organizations import bare
from vocabulary import (
    CODE_FIXES,
    CURRENCIES,
    CURRENCY_BY_HAND,
    CURRENCY_CODES,
    LANGUAGES,
    OFFICIAL_BY_HAND,
    RELIGIONS,
)


def read_languages(book: Factbook, code: str) -> None:
    """Official languages where the field marks them, and single languages spoken."""
    text = book.text(code, "People and Society", "Languages")
    official = list(OFFICIAL_BY_HAND.get(code, ())) or fields.official_languages(text)
    for language in official:
        name = LANGUAGES.get(language, language)
        if name:
            book.add(code, "official language", name)
        else:
            book.drop(code, "official language")
    for language in fields.spoken_languages(text) + official:
        name = LANGUAGES.get(language, language)
        if name:
            book.add(code, "language spoken", name)


def read_people(book: Factbook, code: str) -> None:
    """Population, religions and ethnic groups."""
    text = book.text(code, "People and Society", "Population")
    if re.match(r"[\d,]+(?: \(|$)", text):
        book.add(code, "population", fields.number(text) or "")
    for item in fields.plain_items(book.text(code, "People and Society", "Religions")):
        name = RELIGIONS.get(item)
        if name:
            book.add(code, "religion", bare(name))
    items = fields.plain_items(book.text(code, "People and Society", "Ethnic groups"))
    for name in group_names(items):
        book.add(code, "ethnic group", f"{name} people")


def read_currency(book: Factbook, code: str) -> None:
    """The currency behind the exchange rates; members of the monetary union have the euro."""
    text = book.text(code, "Economy", "Exchange rates")
    note = book.text(code, "Economy", "Exchange rates", "note")
    if "uses the euro" in note or "US dollar is used" in note:
        text = note.replace("the US dollar is used", "US dollar is used")
    elif code in CURRENCY_BY_HAND:
        text = CURRENCY_BY_HAND[code]
    elif text.startswith("see entry for West Bank"):
        text = book.text("we", "Economy", "Exchange rates")
    printed, symbol = fields.currency(text)
    if not printed:
        return
    name = CURRENCIES.get(printed) or _singular_currency(printed)
    book.add(code, "currency", name)
    book.articles.add(name)
    symbol = CODE_FIXES.get(symbol, symbol) or CURRENCY_CODES.get(name, "")
    book.alias(name, "currency", symbol)


def _singular_currency(printed: str) -> str:
    words = printed.split()
    last = words[-1]
    if last.endswith("s") and not last.endswith("ss"):
        last = last[:-1]
    return " ".join([*words[:-1], last[:1].upper() + last[1:]])


def read_trade(book: Factbook, code: str) -> None:
    """Trade partners, ship registers and refugees: country to country."""
    for key, relation in (("Exports", "exports to"), ("Imports", "imports from")):
        text = book.text(code, "Economy", f"{key} - partners")
        for name in fields.partner_names(re.sub(r", The\b(?: Former Yugo Rep of)?", "", text)):
            book.add_country(code, relation, name)
    fleet = ("Transportation", "Merchant marine")
    for name in fields.fleet_names(book.text(code, *fleet, "registered in other countries")):
        book.add_country(code, "flags ships in", name)
    for name in fields.fleet_names(book.text(code, *fleet, "foreign-owned")):
        owner = book.countries.code(name)
        if owner and owner != code:
            book.add(owner, "flags ships in", book.countries.names[code])
    refugees = ("Transnational Issues", "Refugees and internally displaced persons")
    text = book.text(code, *refugees, "refugees (country of origin)")
    for name in fields.refugee_names(text):
        parts = ["West Bank", "Gaza Strip"] if name == "West Bank and Gaza Strip" else [name]
        for part in parts:
            book.add_country(code, "hosts refugees from", part)


GOODS_FIELDS = (
    ("exports", ("Economy", "Exports - commodities")),
    ("imports", ("Economy", "Imports - commodities")),
    ("grows or raises", ("Economy", "Agriculture - products")),
    ("natural resource", ("Geography", "Natural resources")),
    ("industry", ("Economy", "Industries")),
)


def read_goods(book: Factbook) -> None:
    """Goods, resources and industries: spellings are decided over all countries together."""
    lists: dict[tuple[str, str], list[str]] = {}
    for code in book.profiles:
        for relation, path in GOODS_FIELDS:
            lists[code, relation] = fields.plain_items(book.text(code, *path))
    goods = [items for (_, relation), items in lists.items() if relation != "industry"]
    branches = [items for (_, relation), items in lists.items() if relation == "industry"]
    spellings, industries = Spellings(goods), Spellings(branches, industries=True)
    for (code, relation), items in lists.items():
        cleaner = industries if relation == "industry" else spellings
        for name in cleaner.clean(items):
            if relation == "industry":
                name = name if name.endswith("industry") else f"{name} industry"
                book.articles.add(name)
            book.add(code, relation, name)
