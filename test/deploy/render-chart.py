"""Renders the chart by Helm's own engine: render-chart.py CHART NAMESPACE [VALUES as JSON]. Ends with 1 at a finding of its lint."""

import json
import sys

from helm_python import Chart, lint

chart_folder, namespace, *rest = sys.argv[1:]
values = json.loads(rest[0]) if rest else {}
print(json.dumps({"lint": lint(chart_folder, values=values), "files": Chart.load(chart_folder).render(values=values, name="fleetkeeper", namespace=namespace)}))
