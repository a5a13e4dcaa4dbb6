"""An adopted model in the studio: rounds of all kinds, with a class where the network has to be told one."""

import pytest
from studio_client import finish, ok, serving

import noisekernel as nk
import pipelines
from noisekernel.studio.models import serve
from noisekernel.studio.studio import Studio
from noisekernel.studio.work.queue import Queue


@pytest.mark.parametrize("classes", [None, 2])
def test_rounds_of_an_adopted_model(tmp_path, classes):
    model = nk.adopt(pipelines.pipeline(num_class_embeds=classes), examples=4, device="cpu")
    served = serve(str(model.save(tmp_path / "mine.safetensors")))
    assert served.seconds(1) > 0
    studio = Studio(tmp_path / "home", {"mine": served}, threads=1, queue=Queue(grace=600.0))
    label = {} if classes is None else {"label": "1"}
    try:
        with serving(studio) as api:
            design = ok(api.post("/api/designs", json={"name": "adopted", "model": "mine"}))["id"]
            one, _ = finish(api, design, {"task": "sample", "n": 2, "steps": 3, "seed": 1, **label})
            more = {"task": "vary", "parents": [one["id"]], "n": 2, "below": 0.3, "steps": 3, "seed": 2, **label}
            assert [node["parent"] for node in finish(api, design, more)] == [one["id"]] * 2
    finally:
        studio.close()
