"""A thousand requests that nobody would send: no 5xx, no hang, and memory stays where it is."""

import resource

import hypothesis
import numpy as np
import pytest
import schemathesis
from studio_client import finish, ok

#: In all, spread over what the interface offers.
REQUESTS = 1000
#: Megabytes that the whole process may grow by: the server, the fuzzer, and what both remember.
MOST_GROWTH = 300


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.timeout(900)
def test_no_request_breaks_the_studio(api, design, studio):
    known = finish(api, design, {"task": "sample", "n": 2, "steps": 1})
    ids = {
        "design": [design],
        "node": [node["id"] for node in known],
        "round": [known[0]["round"]],
        "model": ["digits"],
    }
    schema = schemathesis.openapi.from_dict(ok(api.get("/openapi.json")))
    operations = [each.ok() for each in schema.get_all_operations()]
    assert len(operations) >= 25
    broken = []
    sent = {"requests": 0, "accepted": 0}
    rng = np.random.default_rng(0)
    before = None

    def send(case):
        # Half of the ids are real, so that the fuzz reaches what lies behind them.
        for name, value in ids.items():
            if name in (case.path_parameters or {}) and rng.random() < 0.5:
                case.path_parameters[name] = value[rng.integers(len(value))]
        if isinstance(case.body, dict) and "parents" in case.body and rng.random() < 0.7:
            case.body["parents"] = ids["node"][:1]
        if case.operation.path.endswith("/events"):
            return  # streams have tests of their own; most would wait for a job that is not there
        try:
            response = case.call(base_url=str(api.base_url), timeout=300)
        except ValueError:
            return  # what no HTTP client can send
        sent["requests"] += 1
        sent["accepted"] += response.status_code < 300
        if response.status_code >= 500:
            broken.append((case.operation.label, case.path_parameters, case.query, str(case.body)[:300]))
        if response.status_code == 202:
            api.post(f"/api/jobs/{response.json()['job']}/cancel")

    each = -(-REQUESTS // len(operations)) + 6  # some cannot be sent, and some operations have but one
    for turn in range(2):
        for operation in operations:
            settings = hypothesis.settings(
                max_examples=-(-each // 2),
                database=None,
                derandomize=False,
                deadline=None,
                phases=[hypothesis.Phase.generate],
                suppress_health_check=list(hypothesis.HealthCheck),
            )
            run = hypothesis.seed(turn)(
                settings(hypothesis.given(case=operation.as_strategy())(lambda case: send(case)))
            )
            run()
        if before is None:
            before = peak()
    assert broken == []
    assert sent["requests"] >= REQUESTS
    assert sent["accepted"] > 20
    assert peak() - before < MOST_GROWTH
    assert api.get("/api/health").status_code == 200
    assert studio.store.sound()


def test_a_server_that_breaks_is_caught():
    """The wrong twin: an application with one division by zero in it does not pass the same check."""
    from fastapi import FastAPI
    from starlette.testclient import TestClient

    app = FastAPI()

    @app.get("/half")
    def half(of: int) -> int:
        return 10 // of

    schema = schemathesis.openapi.from_dict(app.openapi())
    (operation,) = [each.ok() for each in schema.get_all_operations()]
    client = TestClient(app, raise_server_exceptions=False)

    @hypothesis.settings(max_examples=100, database=None, phases=[hypothesis.Phase.generate])
    @hypothesis.given(case=operation.as_strategy())
    def run(case):
        assert client.get("/half", params=case.query).status_code < 500

    with pytest.raises(BaseException, match="assert"):
        run()
