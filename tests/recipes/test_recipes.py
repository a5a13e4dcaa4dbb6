"""Recipes: every number of the paper's table, and refusals that name the mistake."""

import contextlib
import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noisekernel as nk
from noisekernel import models, recipes
from noisekernel.core.errors import InputError
from noisekernel.core.settings import kinds_in, read
from noisekernel.kinds.pictures import Pictures, Size
from noisekernel.kinds.tables.column import Column
from noisekernel.sampling.samplers import sampler
from noisekernel.training.cost import plan

#: Section 3.1 and appendix A of the paper: images are batch x iterations.
PAPER = {
    "paper/cifar10": (128, (1, 2, 4, 8), 128, 273_700, 1e-4, True, 0.5, (100, 0.01), 18.27, 8.16),
    "paper/cifar10-categorical": (128, (1, 2, 4, 8), 512, 49_000, 1e-4, True, 0.95, (500, 0.5), 14.76, 7.45),
    "paper/lsun-church-128": (128, (1, 2, 4, 8), 32, 1_972_500, 1e-4, False, 0.5, (100, 0.01), 9.40, None),
    "paper/celebahq-256": (256, (1, 1, 2, 2, 4, 4), 32, 437_500, 2e-5, False, 0.5, (100, 0.01), 31.04, None),
}


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_recipes_hold_the_papers_numbers(name):
    channels, multipliers, batch, iterations, rate, flip, lag, (steps, last), fid, score = PAPER[name]
    recipe = recipes.recipe(name)
    assert (recipe.network.channels, recipe.network.multipliers) == (channels, multipliers)
    assert (recipe.training.batch, recipe.training.steps) == (batch, iterations)
    assert recipe.training.rate_at(0) == recipe.training.rate_at(recipe.training.images - 1) == rate
    assert recipe.data.flip == flip
    assert recipe.kernel.lag == lag
    assert recipe.training.average.decay(1, batch) == recipe.training.average.decay(10**9, batch) == 0.999
    assert recipe.objective.build() == nk.ContrastiveAdjustment(nk.UniformLevels(0.01, 1.0))
    kernel = recipe.kernel.build()
    schedule = sampler(recipe.sampling.sampler, kernel, recipe.sampling.steps)
    assert (schedule.steps, float(schedule.beta[0]), float(schedule.beta[-1])) == (steps, 1.0, last)
    assert set(schedule.lag.tolist()) == {lag}
    assert (recipe.published.fid, recipe.published.inception_score) == (fid, score)
    # The count without stem and outlet is tested with the network; with them it is a little more.
    assert round(plan(recipe).parameters / 1e6) == (272 if "256" in name else 118)


def fitted(kind):
    """A kind of data with all that a design needs."""
    if kind.kind == "points":
        return kind.model_copy(update={"columns": ("a", "b"), "means": (0.0, 0.0), "scales": (1.0, 1.0)})
    if kind.kind == "tokens":
        return kind.model_copy(update={"alphabet": "abc", "length": 6})
    if kind.kind == "tables":
        age = Column(name="age", type="integer", values=(20.0, 30.0, 40.0), starts=(0, 64, 96))
        sex = Column(name="sex", type="category", categories=("f", "m"), empty=True)
        return kind.model_copy(update={"columns": (age, sex)})
    if kind.kind == "music":
        return kind.model_copy(update={"voices": ("Soprano", "Bass"), "low": 40, "high": 80})
    return kind.of_size(Size(3, 8, 8))


@pytest.mark.parametrize("name", recipes.recipe_names())
def test_every_recipe_builds_trains_on_and_survives_json(name, tmp_path):
    recipe = recipes.recipe(name)
    assert recipe.about
    design = recipe.design(fitted(recipe.data), ("a", "b"))
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(recipe.model_dump(mode="json")))
    assert recipes.recipe(path) == recipe
    assert read(recipes.Design, json.loads(design.model_dump_json()), "x") == design


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("training.batchs=3", "there is no setting 'training.batchs'; did you mean 'training.batch'?"),
        ("network.chanels=3", "did you mean 'network.channels'"),
        ("kernle.lag=0.5", "there is no setting 'kernle'; did you mean 'kernel'"),
        ("training.batch=0", "training.batch is 0"),
        ("training.batch=1.5", "training.batch is 1.5"),
        ("training.rate=NaN", "training.rate is nan"),
        ("kernel.lag=1", "kernel.lag is 1"),
        ("data.size=[2,8,8]", "data.size.0 is 2"),
        ("objective.kind=kll", "objective.kind is 'kll'; did you mean 'kl'?"),
        (
            "objective.kind=9",
            "objective.kind is '9'; there are: kl, reconstruction, any-order, contrastive, anchored, unrolled",
        ),
        ("objective.control=0.9", "setting of objective.kind 'contrastive' and 'anchored', not of 'kl'; leave it out"),
        ("objective.weight=2", "is a setting of objective.kind 'anchored' and 'unrolled', not of 'kl'"),
        ("head.classes=3", "a setting of head.kind 'categorical', 'ordinal' and 'intervals', not of 'preconditioned'"),
        ("kernel.kind=gausian", "'gausian'"),
        ("sampling.sampler=papre", "Did you mean 'paper'"),
        ("kernel.kind=categorical", "do not go together"),
        ("training", "is no setting; write key=value"),
        ("=3", "is no setting"),
        ("head.mean=0.5", "given together"),
        ("training=3", "training is 3"),
        ('objective={"kind":"anchored","control":NaN}', "objective.control is nan"),
    ],
)
def test_mistakes_get_a_sentence(setting, said):
    with pytest.raises(InputError) as caught:
        recipes.recipe("digits", [setting])
    assert said in str(caught.value)


def test_another_kind_begins_anew_and_keeps_what_was_set_with_it():
    recipe = recipes.recipe("digits", ["training.average.factor=0.9", "training.average.kind=decay"])
    assert recipe.training.average == recipes.TrainingSettings.model_fields["average"].annotation.__args__[1](
        factor=0.9
    )


def test_a_setting_of_another_kind_is_not_offered_for_itself():
    with pytest.raises(InputError) as caught:
        recipes.recipe("digits", ["training.average.kind=decay", "training.average.images=5"])
    assert "is a setting of training.average.kind 'half_life', not of 'decay'" in str(caught.value)
    assert "mean 'training.average.images'" not in str(caught.value)


def test_each_objective_takes_what_it_uses_and_keeps_the_levels():
    """The levels are those of the data, so another objective does not begin them anew."""
    changes = {
        "kl": {"lag": 0.5},
        "reconstruction": {},
        "contrastive": {"control": 0.9},
        "anchored": {"by": "reconstruction", "weight": 0.5, "control": 0.9},
        "unrolled": {"by": "reconstruction", "weight": 0.5},
    }
    of = {kind.model_fields["kind"].default: kind for kind in kinds_in(recipes.ObjectiveConfig)}
    # One learns no denoiser, at levels of its own; the other is for categories alone.
    assert of.keys() == {*changes, "persistent", "any-order"}
    assert recipes.recipe("levels", {"objective.kind": "any-order", "objective.parts": 0.2}).objective.parts == 0.2
    with pytest.raises(InputError, match="any-order likelihood is for categories"):
        recipes.recipe("digits", {"objective.kind": "any-order"})
    for kind, used in changes.items():
        given = {"objective.kind": kind, **{f"objective.{name}": value for name, value in used.items()}}
        objective = recipes.recipe("digits", given).objective
        assert type(objective).model_fields.keys() == {"kind", "levels", *used}
        assert objective.levels.mean == -0.6
        built = objective.build()
        assert {name: getattr(built, name) for name in used if name != "by"} == {
            name: value for name, value in used.items() if name != "by"
        }
        for other in {"by", "weight", "control"} - used.keys():
            value = "kl" if other == "by" else 0.5
            with pytest.raises(InputError, match=rf"objective\.{other} is a setting of"):
                recipes.recipe("digits", {**given, f"objective.{other}": value})
    assert recipes.recipe("levels", ["objective.kind=unrolled"]).objective.levels.kind == "uniform"


def test_levels_are_lifted_where_the_objective_bears_it():
    """A sampled step has as much variance at high noise as at low, which a lift would multiply."""
    for kind, lift in {"kl": 1, "reconstruction": 1, "unrolled": 1, "contrastive": 0, "anchored": 0}.items():
        assert recipes.recipe("digits", {"objective.kind": kind}).objective.build().levels.lift == lift
        given = recipes.recipe("digits", {"objective.kind": kind, "objective.levels.lift": 0.5})
        assert given.objective.build().levels.lift == 0.5


def test_records_of_earlier_versions_are_read_without_what_had_no_effect():
    old = {**recipes.recipe("digits").model_dump(mode="json")}
    old["objective"] |= {"by": "kl", "weight": 1.0, "control": 0.9}
    with pytest.raises(InputError, match=r"objective\.control is a setting of"):
        read(recipes.Recipe, old, "x")
    assert recipes.recorded(old, "x") == recipes.recipe("digits")
    with pytest.raises(InputError, match=r"no setting .objective\.colour."):
        recipes.recorded({"objective": {"kind": "kl", "colour": 1}}, "x")
    lifts = {"digits": 1.0, "emoji": 0.5, "fashion": 1.0}
    for name in lifts.keys() & set(models.bundled()):
        assert recipes.recorded(models.load(name).history["recipe"], name).objective.build().levels.lift == lifts[name]


def test_a_setting_inside_a_table_that_there_is_not(tmp_path):
    (tmp_path / "mine.toml").write_text("[trainig]\nbatch = 3\n")
    with pytest.raises(InputError, match="no setting 'trainig'; did you mean 'training'"):
        recipes.recipe(tmp_path / "mine.toml", ["trainig.batch=4"])


@pytest.mark.parametrize(
    "settings",
    [
        ["training.batch=3", "training.batch=4"],
        ["kernel.lag=0.5", 'kernel={"lag":0.3}'],
        ['kernel={"lag":0.3}', "kernel.lag=0.5"],
    ],
)
def test_what_is_set_twice_is_refused(settings):
    with pytest.raises(InputError, match="is set twice; give it once"):
        recipes.recipe("digits", settings)


def test_a_setting_inside_one_that_is_set_as_a_whole_is_refused():
    with pytest.raises(InputError, match="set as a whole too"):
        recipes.recipe("digits", ["training=3", "training.batch=4"])


def test_names_and_files_that_are_none(tmp_path):
    with pytest.raises(InputError, match="Did you mean 'digits'"):
        recipes.recipe("digit")
    broken = tmp_path / "mine.toml"
    broken.write_text("a = ")
    with pytest.raises(InputError, match="cannot be read as a recipe"):
        recipes.recipe(broken)
    broken = tmp_path / "mine.json"
    broken.write_text("[1]")
    with pytest.raises(InputError, match="a recipe is a table"):
        recipes.recipe(broken)


def test_a_recipe_of_ones_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("about = 'x'\n[training]\nbatch = 7\n")
    recipe = recipes.recipe(path)
    assert (recipe.name, recipe.training.batch, recipe.about) == ("mine", 7, "x")
    assert recipes.recipe(path, {"training.batch": 8}).name == "mine with changes"


@settings(max_examples=30)
@given(st.dictionaries(st.text(max_size=8), st.recursive(st.none() | st.integers() | st.text(max_size=4), st.lists)))
def test_hostile_recipes_are_refused_or_read_never_a_traceback(content):
    with contextlib.suppress(InputError):
        read(recipes.Recipe, content, "x")


def test_categorical_recipes_must_agree_on_the_number_of_classes():
    with pytest.raises(InputError, match="and the data has 8"):
        recipes.recipe("paper/cifar10-categorical", ["data.codec.levels=8"])
    with pytest.raises(InputError, match="log-normal levels are for continuous data"):
        recipes.recipe("paper/cifar10-categorical", ["objective.levels.kind=log-normal"])


def test_the_files_say_only_what_there_is_to_say():
    root = Path(recipes.__file__).parent
    for path in root.rglob("*.toml"):
        assert "name" not in tomllib.loads(path.read_text())
        assert path.read_text().startswith("# ")


def test_rates_rise_then_fall():
    training = recipes.recipe("digits", ["training.warmup=640", "training.images=6400", "training.batch=64"]).training
    assert training.rate_at(0) == pytest.approx(training.rate * 0.1)
    assert training.rate_at(576) == pytest.approx(training.rate * (1 - 576 / 6400))
    assert training.rate_at(6400) == 0.0
    cosine = training.model_copy(update={"fall": "cosine"})
    assert cosine.rate_at(3200) == pytest.approx(training.rate / 2)


def test_half_life_means_half_life():
    average = recipes.recipe("digits", {"training.average.images": 1000}).training.average
    weight = 1.0
    for _ in range(100):
        weight *= average.decay(10**9, 10)
    assert weight == pytest.approx(0.5)


def test_plans_count_what_networks_hold():
    recipe = recipes.recipe("digits")
    cost = plan(recipe, Pictures(size=(1, 8, 8)), classes=10)
    model = recipe.design(recipe.data.of_size(Size(1, 8, 8)), [str(i) for i in range(10)]).denoiser()
    assert cost.parameters == sum(p.numel() for p in model.parameters())
    # A convolution that keeps the size costs 2 x 9 x in x out x pixels; the stem alone is less than the whole.
    assert cost.forward > 2 * 9 * 32 * 64
    # A pass forward is a third of one with its way back.
    for kind, times in {"anchored": 2, "unrolled": 2, "reconstruction": 1, "contrastive": 4 / 3}.items():
        other = plan(recipes.recipe("digits", {"objective.kind": kind}), Pictures(size=(1, 8, 8)), 10)
        assert other.training == pytest.approx(times * cost.training)


def test_settings_that_are_given_are_left_as_they_were():
    """A table set as a whole and then in part: the part must not find its way into the caller's table."""
    training = {"batch": 8}
    changed = recipes.recipe("small", {"training": training, "training.rate": 0.5})
    assert (changed.training.batch, changed.training.rate) == (8, 0.5)
    assert training == {"batch": 8}
