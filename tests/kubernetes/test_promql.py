"""The reader of PromQL that the other tests rely on."""
import pytest
from promql import metric_names, selectors


@pytest.mark.parametrize("expression, names", [
    ("up", {"up"}),
    ("a + on (x, y) group_left (z) b", {"a", "b"}),
    ("sum by (queue, le) (rate(a_bucket{queue=~\"x\"}[5m]))", {"a_bucket"}),
    ("sum(rate(a_total[5m])) by (le) / count without (le) (b)", {"a_total", "b"}),
    ("histogram_quantile(0.95, sum by (le) (rate(a_bucket[$__rate_interval])))", {"a_bucket"}),
    ("a and b unless c or d == bool 1", {"a", "b", "c", "d"}),
    ("a offset 5m > 1e3 or vector(1)", {"a"}),
    ("a{text=\"b and c{d=1} # }\"} * e  # f", {"a", "e"}),
    ("a {x='}'} / b{}", {"a", "b"}),
    ("{__name__=\"a\", queue!=\"\"}", {"a"}),
    ("{queue!=\"\", __name__=\"a\"}[5m]", {"a"}),
    ("label_replace(a, \"x\", \"$1\", \"y\", \"(b)\")", {"a"}),
    ("absent(a:b:rate5m)", {"a:b:rate5m"}),
    ("max_over_time(sum(a)[1h:5m])", {"a"}),
    ("1 + 2", set()),
])
def test_names_of_the_series_that_an_expression_reads(expression, names):
    assert metric_names(expression) == names


def test_a_selector_keeps_its_matchers():
    expression = 'sum by (queue) (rate(a_total{outcome=~"x|y"}[5m])) > b{} + c'
    assert selectors(expression) == ['a_total{outcome=~"x|y"}', "b{}", "c"]


def test_a_selector_without_a_name_is_refused():
    with pytest.raises(ValueError, match="names no metric"):
        metric_names('{queue="a"}')
