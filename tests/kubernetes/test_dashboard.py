"""What Grafana would not tell before somebody looks: the form of the dashboard."""
import pytest
from project import dashboard, panels

WIDTH = 24  # columns of Grafana's grid


def cells(panel):
    place = panel["gridPos"]
    return {(x, y) for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])}


def unit(panel):
    return panel["fieldConfig"]["defaults"].get("unit") or panel["options"]["yAxis"]["unit"]


@pytest.mark.parametrize("panel", panels(), ids=lambda panel: panel["title"])
def test_a_panel_says_what_it_shows_in_which_unit_and_names_its_lines(panel):
    assert panel["description"].endswith(".") and unit(panel)
    assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
    letters = [target["refId"] for target in panel["targets"]]
    assert letters == sorted(set(letters))
    assert all(target["legendFormat"] for target in panel["targets"])


def test_panels_have_ids_of_their_own_and_do_not_overlap():
    everything = dashboard()["panels"]
    assert len({panel["id"] for panel in everything}) == len(everything)
    taken = [cell for panel in everything for cell in cells(panel)]
    assert len(taken) == len(set(taken))
    assert max(x for x, _ in taken) < WIDTH


def test_the_dashboard_has_the_variables_that_its_queries_use():
    variables = {variable["name"]: variable for variable in dashboard()["templating"]["list"]}
    assert set(variables) == {"datasource", "queue"}
    assert variables["datasource"]["type"] == "datasource"
    assert variables["queue"]["multi"] and variables["queue"]["includeAll"]
