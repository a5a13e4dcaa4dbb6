"""A table over HTTP: rows are typed with commas or by name, shown as cells, and redone by the names of columns."""

import pytest
import torch
from studio_client import finish, ok, serving

import noisekernel as nk
from noisekernel.measuring.familiarity import Familiarity
from noisekernel.studio.models import WAYS, serve
from noisekernel.studio.studio import Studio
from noisekernel.studio.work.queue import Queue

FEW = {"training.images": 256, "training.batch": 32, "network.width": 16, "network.depth": 1, "network.heads": 2}
ROW = "33,yes,1250.5,Ulm"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("table")
    rows = [
        f"{20 + i % 40},{'yes' if i % 3 else 'no'},{1000 + 0.5 * i},{'Ulm' if i % 2 else 'Bonn'}" for i in range(600)
    ]
    (folder / "people.csv").write_text("\n".join(["age,married,pay,town", *rows]))
    model = nk.fit(folder / "people.csv", settings=FEW, calibrate=False, progress=False)
    nk.save(model, folder / "people.safetensors")
    made = serve(str(folder / "people.safetensors"), str(folder / "people.csv"))
    for way in WAYS:
        made.model.curves[way.name] = way.guess
    made.familiarity = Familiarity.learn(made.model, made.weights)
    return {"people": made}


@pytest.fixture
def there(tmp_path, served):
    studio = Studio(tmp_path / "home", served, threads=1, queue=Queue(grace=600.0))
    with serving(studio) as client:
        yield studio, client
    studio.close()


def bring(client, design, text):
    return client.post(f"/api/designs/{design}/origins", files={"file": ("typed.txt", text.encode(), "text/plain")})


@pytest.mark.training
def test_a_row_is_typed_varied_and_filled_in(there):
    studio, client = there
    (told,) = ok(client.get("/api/models"))
    assert (told["kind"], told["one"], told["many"]) == ("tables", "row", "rows")
    assert told["view"] == {
        "columns": ["age", "married", "pay", "town"],
        "choices": [None, ["no", "yes"], None, ["Bonn", "Ulm"]],
        "hints": ["20 to 59", "no, yes", "1000.0 to 1299.5", "Bonn, Ulm"],
        "empty": [False] * 4,
        "feather": False,
    }
    preview = client.post("/api/models/people/preview", files={"file": ("typed.txt", ROW.encode(), "text/plain")})
    assert ok(preview)["shown"] == ["33", "yes", "1250.5", "Ulm"]
    assert ok(client.get("/api/models/people/examples?offset=3&limit=1"))[0]["shown"] == ["23", "no", "1001.5", "Ulm"]
    design = ok(client.post("/api/designs", json={"name": "rows", "model": "people"}))["id"]
    root = ok(bring(client, design, ROW))["id"]
    assert client.get(f"/api/nodes/{root}/show").text == f"age,married,pay,town\n{ROW}\n"
    again = ok(bring(client, design, "town=Ulm, pay=1250.5, married=yes, age=33"))["id"]
    first, second = studio.store.clean(studio.store.nodes([root, again]))
    assert torch.equal(first, second)

    body = {"task": "fill", "parents": [root], "mask": '["pay"]', "n": 6, "steps": 6, "seed": 1}
    texts = [client.get(f"/api/nodes/{node['id']}/show").text for node in finish(client, design, body)]
    cells = [text.splitlines()[1].split(",") for text in texts]
    assert {(age, married, town) for age, married, _, town in cells} == {("33", "yes", "Ulm")}
    assert len({pay for _, _, pay, _ in cells}) > 1
    tree = client.get(f"/api/designs/{design}/tree.html").text
    assert "<th>town</th><td>Ulm</td>" in tree
    vary = {"task": "vary", "parents": [root], "n": 3, "strength": 0.4, "steps": 6, "seed": 2}
    assert len(finish(client, design, vary)) == 3
    assert len(finish(client, design, {"task": "sample", "n": 3, "steps": 6, "seed": 2})) == 3


@pytest.mark.training
@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("33,yes", "nor 4 cells with commas between them"),
        ("age=33", "the cell of married is empty"),
        ("33,maybe,1250,Ulm", "married is 'maybe', which training never saw"),
        ("33,yes,1250,Ulm\n34,no,1250,Ulm\n35,no,1,Ulm", "the text has 3 lines"),
    ],
)
def test_what_is_no_row_is_refused_in_a_sentence(there, typed, said):
    _, client = there
    design = ok(client.post("/api/designs", json={"model": "people"}))["id"]
    answer = bring(client, design, typed)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
