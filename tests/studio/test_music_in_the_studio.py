"""Music over HTTP: a melody with open voices is harmonised, marked cells are rewritten, pieces are heard and drawn."""

import io
import json
import wave

import numpy as np
import pytest
from studio_client import finish, ok, serving

from noisekernel.kinds.music.grid import pitches_of
from noisekernel.kinds.music.midi import read_midi
from noisekernel.measuring.familiarity import Familiarity
from noisekernel.studio.models import WAYS, serve
from noisekernel.studio.studio import Studio
from noisekernel.studio.work.queue import Queue

MELODY = {
    "notes": [[0, 72 + step % 3, 4 * step, 4] for step in range(8)],
    "open": [[voice, 0, 32] for voice in (1, 2, 3)],
}


@pytest.fixture(scope="module")
def served(music_model):
    made = serve(str(music_model.model), str(music_model.data))
    for way in WAYS:
        made.model.curves[way.name] = way.guess
    made.familiarity = Familiarity.learn(made.model, made.weights)
    return {"music": made}


@pytest.fixture
def there(tmp_path, served):
    studio = Studio(tmp_path / "home", served, threads=1, queue=Queue(grace=600.0))
    with serving(studio) as client:
        yield studio, client
    studio.close()


def bring(client, design, told):
    content = told if isinstance(told, bytes) else json.dumps(told).encode()
    return client.post(f"/api/designs/{design}/origins", files={"file": ("own.json", content, "application/json")})


def notes(client, node):
    return ok(client.get(f"/api/nodes/{node}/show?as=json"))


@pytest.mark.training
def test_a_melody_is_harmonised_and_its_bars_rewritten(there):
    _, client = there
    (told,) = ok(client.get("/api/models"))
    assert (told["kind"], told["one"], told["many"]) == ("music", "piece", "pieces")
    view = told["view"]
    assert (view["voices"], view["steps"], view["per_beat"]) == (["Soprano", "Alto", "Tenor", "Bass"], 32, 4)
    example = ok(client.get("/api/models/music/examples?offset=4&limit=1"))[0]["shown"]
    assert {note[0] for note in example["notes"]} == {0, 1, 2, 3}
    design = ok(client.post("/api/designs", json={"name": "tunes", "model": "music"}))["id"]
    root = ok(bring(client, design, MELODY))["id"]
    assert notes(client, root) == {**MELODY, "steps": 32}

    # What is open is filled in, whatever else is marked; what is given stays.
    mask = "".join("0" * 32 if voice == 0 else "1" * 32 for voice in range(4))
    body = {"task": "fill", "parents": [root], "mask": mask, "n": 3, "steps": 6, "seed": 1}
    made = [node["id"] for node in finish(client, design, body)]
    for node in made:
        found = notes(client, node)
        assert [note for note in found["notes"] if note[0] == 0] == MELODY["notes"]
        assert found["open"] == []
        assert {note[0] for note in found["notes"]} >= {1, 3}
    part = {**body, "parents": [made[0]], "mask": "0" * 96 + "0" * 16 + "1" * 16}
    for node in finish(client, design, part):
        before, after = notes(client, made[0])["notes"], notes(client, node["id"])["notes"]
        assert [n for n in after if n[0] < 3] == [n for n in before if n[0] < 3]

    vary = {"task": "vary", "parents": [made[0]], "n": 2, "strength": 0.4, "steps": 6, "seed": 2}
    assert len(finish(client, design, vary)) == 2
    assert "data:image/png" in client.get(f"/api/designs/{design}/tree.html").text


@pytest.mark.training
def test_a_piece_is_taken_away_in_its_forms(there):
    _, client = there
    design = ok(client.post("/api/designs", json={"name": "forms", "model": "music"}))["id"]
    root = ok(client.post(f"/api/designs/{design}/origins/example", json={"example": 5}))["id"]
    midi = client.get(f"/api/nodes/{root}/show")
    assert midi.headers["content-type"] == "audio/midi"
    piece = read_midi(midi.content, 4)
    told = notes(client, root)
    grid = pitches_of(piece.codes)
    assert all((grid[v, start : start + length] == pitch).all() for v, pitch, start, length in told["notes"])
    sound = client.get(f"/api/nodes/{root}/show?as=wav")
    with wave.open(io.BytesIO(sound.content)) as heard:
        assert heard.getnframes() > 3 * heard.getframerate()
        assert np.frombuffer(heard.readframes(10**6), dtype="<i2").any()
    assert client.get(f"/api/nodes/{root}/show?as=png").content.startswith(b"\x89PNG")
    assert b"score-partwise" in client.get(f"/api/nodes/{root}/show?as=musicxml").content
    assert ok(bring(client, design, midi.content))["id"]
    answer = client.get(f"/api/nodes/{root}/show?as=gif")
    assert answer.status_code == 404
    assert "there is no 'gif' of a piece" in answer.json()["detail"]
    assert client.get(f"/api/nodes/{root}/show?as=json&scale=2").status_code == 422


@pytest.mark.training
@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"notes": [[0, 60, 30, 4]]}, "a note ends after step 32"),
        ({"notes": [[4, 60, 0, 4]]}, "is no note of 4 voices"),
        ({"notes": "x"}, "the piece is no JSON of"),
        ({"notes": [], "open": [[0, 0, 40]]}, "lies outside 4 voices"),
        ({"notes": [[0, 5, 0, 4]]}, "it has the pitch F-1; pitches run from"),
        (b"MThd and no more", "cannot be used"),
        (b"no music at all", "it is neither MIDI nor MusicXML"),
    ],
)
def test_what_is_no_piece_is_refused_in_a_sentence(there, told, said):
    _, client = there
    design = ok(client.post("/api/designs", json={"name": "bad", "model": "music"}))["id"]
    answer = bring(client, design, told)
    assert answer.status_code == 422, answer.text
    assert said in answer.json()["detail"]


@pytest.mark.training
def test_a_piece_with_open_voices_is_not_varied(there):
    _, client = there
    design = ok(client.post("/api/designs", json={"name": "open", "model": "music"}))["id"]
    root = ok(bring(client, design, MELODY))["id"]
    body = {"task": "vary", "parents": [root], "n": 2, "strength": 0.4, "steps": 6, "seed": 2}
    answer = client.post(f"/api/designs/{design}/rounds", json=body)
    assert answer.status_code == 422
    assert "Alto is open from step 1 on; fill it in first" in answer.json()["detail"]
    masks = {"1" * 5: "4 voices of 32 steps have 128", "0" * 128: "nothing is marked", "flute": "no voice called"}
    for mask, said in masks.items():
        answer = client.post(
            f"/api/designs/{design}/rounds", json={"task": "fill", "parents": [root], "mask": mask, "n": 1, "steps": 2}
        )
        assert said in answer.json()["detail"]


@pytest.mark.training
@pytest.mark.same_call
def test_longer_pieces_have_a_studio_too_and_their_designs_are_replayed(tmp_path, music_model, run):
    long = serve(str(music_model.model), length=5)
    assert long.id == f"{long.name}, length 5"
    assert long.model.shape == (4, 80)
    assert not long.unfamiliar  # it is measured at the length that was learned, and nothing is said of others
    for way in WAYS:
        long.model.curves[way.name] = way.guess
    studio = Studio(tmp_path / "home", {long.id: long}, threads=1, queue=Queue(grace=600.0))
    with serving(studio) as client:
        (told,) = ok(client.get("/api/models"))
        assert told["view"]["steps"] == 80
        design = ok(client.post("/api/designs", json={"name": "long", "model": long.id}))["id"]
        melody = {"notes": [[0, 72 + step % 3, 4 * step, 4] for step in range(20)], "open": []}
        root = ok(bring(client, design, melody))["id"]
        mask = "0" * 80 + "1" * 240
        made = finish(client, design, {"task": "fill", "parents": [root], "mask": mask, "n": 2, "steps": 3})
        for node in made:
            found = notes(client, node["id"])
            assert found["steps"] == 80
            assert [note for note in found["notes"] if note[0] == 0] == melody["notes"]
            assert max(note[2] for note in found["notes"] if note[0] > 0) > 32  # beyond the window, too
            ok(client.patch(f"/api/nodes/{node['id']}", json={"kept": True}))
        assert ok(client.get(f"/api/models/{long.id}/examples")) == []
        content = client.get(f"/api/designs/{design}/design.nkd").content
    studio.close()
    (tmp_path / "long.nkd").write_bytes(content)
    code, out, err = run("replay", tmp_path / "long.nkd", "--model", music_model.model)
    assert code == 0, err
    assert "3 of 3 nodes are the same, bit for bit" in out
