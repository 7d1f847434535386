"""Rows of a table that sum up others, by what they are called."""

import re

import pandas as pd
from pandas.api.types import is_numeric_dtype

# What a single row is called that sums up others, and no cell: in English, German, French, Spanish, Italian, Dutch and
# Portuguese.
_SURELY = re.compile(
    r"((grand|sub) ?)?total|((grand|overall) )?mean|average|avg|median|std\.? ?dev(iation)?|stdev|standard deviation"
    r"|standard error|gesamt|summe|mittelwert|standardabweichung|stabw"
    r"|moyenne|somme|médiane|(écart|ecart)[- ]?type|promedio|desviación (estándar|típica|standard)|suma"
    r"|deviazione standard|somma|mediana|gemiddelde|standaarddeviatie|média|desvio[- ]padrão",
    re.IGNORECASE,
)
# What else sums are called. "Media" is a mean to some, and to more a control in a dish: it is none of these.
_PERHAPS = re.compile(
    rf"{_SURELY.pattern}|sum|min(imum)?|max(imum)?|std|s\.?d\.?|sem|cv|variance|count"
    r"|mittel|varianz|anzahl|mínimo|máximo|minimo|massimo|varianza|aantal",
    re.IGNORECASE,
)


def names_sum(text: str) -> bool:
    """Return whether a row that is called so sums up others, if its neighbours are called like sums as well.

    Examples
    --------
    >>> names_sum("Mean"), names_sum("Max"), names_sum("Meanwhile")
    (True, True, False)
    """
    return _PERHAPS.fullmatch(text) is not None


def names_sum_alone(text: str) -> bool:
    """Return whether a row that is called so sums up others, whatever its neighbours are called.

    Examples
    --------
    >>> names_sum_alone("Mean"), names_sum_alone("Max")
    (True, False)
    """
    return _SURELY.fullmatch(text) is not None


def begins_like_sum(text: str) -> bool:
    """Return whether a text begins with the name of a sum.

    Examples
    --------
    >>> begins_like_sum("Total cells:"), begins_like_sum("Totality")
    (True, False)
    """
    return re.match(rf"(?:{_PERHAPS.pattern})(?!\w)", text, re.IGNORECASE) is not None


def note_of_sums(rows: pd.DataFrame) -> list[str]:
    """Say which rows are called like sums in the first column: they may be subtotals among the cells.

    Examples
    --------
    >>> note_of_sums(pd.DataFrame({"Image": ["a", "Mean", "b", "Mean"], "Area": 1.0}))  # doctest: +NORMALIZE_WHITESPACE
    ['2 of 4 rows are named like sums and taken for cells, such as row 2 ("Mean"). Take them out of the table if they
    sum up others.']
    """
    if not rows.columns.size or is_numeric_dtype(rows.iloc[:, 0]):
        return []
    first = rows.iloc[:, 0].astype(str).str.strip()
    named = first.isin([text for text in first.unique() if names_sum_alone(text)]).to_numpy()
    if not named.any():
        return []
    at = named.argmax()
    example = f'row {at + 1} ("{first.iloc[at]}")'
    if named.sum() == 1:
        return [
            f"1 of {len(rows)} rows is named like a sum and taken for a cell: {example}. Take it out of the table if "
            "it sums up others."
        ]
    return [
        f"{named.sum()} of {len(rows)} rows are named like sums and taken for cells, such as {example}. Take them out "
        "of the table if they sum up others."
    ]
