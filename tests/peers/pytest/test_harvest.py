"""What a project has of its own: a harvester, and what it must not say."""

import re
from urllib.parse import urlencode
from urllib.request import urlopen


def harvest(base_url):
    """Identifiers of a list, and whether as many came as were announced."""
    identifiers, announced = set(), None
    arguments = {"verb": "ListRecords", "metadataPrefix": "oai_dc"}
    while arguments:
        with urlopen(f"{base_url}?{urlencode(arguments)}", timeout=10) as answer:
            page = answer.read().decode()
        identifiers.update(re.findall("<identifier>(oai:[^<]*)</identifier>", page))
        announced = announced or re.search('completeListSize="([0-9]+)"', page)
        token = re.search("<resumptionToken[^>]*>([^<]+)</resumptionToken>", page)
        arguments = token and {"verb": "ListRecords", "resumptionToken": token[1]}
    return identifiers, announced is None or len(identifiers) == int(announced[1])


def test_a_list_that_ends_early_is_not_called_complete(base_url):
    identifiers, is_complete = harvest(base_url)
    assert identifiers
    assert not is_complete
