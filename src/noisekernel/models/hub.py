"""Models on the Hugging Face Hub: one safetensors file and a page. A local folder serves as a hub of one's own."""

import tempfile
from pathlib import Path

from noisekernel import models
from noisekernel.core.errors import InputError, NoiseKernelError
from noisekernel.files.formats import write_text
from noisekernel.models.model import Model, told_history
from noisekernel.models.saving import FILE

PAGE = "README.md"


def is_folder(name: str) -> bool:
    """Whether a name means a folder here: a path that says so, or one that exists."""
    return name.startswith((".", "/", "~")) or Path(name).is_dir()


def page(model: Model, name: str) -> str:
    """What the model's page says: all of it from the model itself."""
    history, design = model.history, model.design
    trained = ""
    if history:
        told = told_history(history)
        trained = f"{told[:1].upper()}{told[1:]}.\n\n"
    return (
        f"---\nlibrary_name: noisekernel\ntags: [noisekernel, markov-chain]\n---\n\n# {name}\n\n"
        f"A Markov chain over {design.data.described()}, {model.parameters:,} parameters, for "
        f"[noisekernel](https://arxiv.org/abs/2303.05497).\n\n{trained}"
        f"```\nnk pull {name} --out model\nnk sample model -n 16\n```\n"
    )


def push(what: str | Path, target: str, *, private: bool = False, force: bool = False) -> str:
    """Put a model into a folder, or into a repository of the Hub. Returns where it is."""
    model = models.load(what, "cpu")
    if is_folder(target):
        folder = Path(target).expanduser().resolve()
        there = [name for name in (FILE, PAGE) if (folder / name).exists()]
        if there and not force:
            raise InputError(f"{target} holds {' and '.join(there)} already; add --force to replace them")
        models.save(model, folder, force=force)
        text = page(model, folder.name)
        write_text(folder / PAGE, text)
        return str(folder)
    _check(target)
    from huggingface_hub import HfApi

    with tempfile.TemporaryDirectory() as folder_name:
        models.save(model, folder_name)
        (Path(folder_name) / PAGE).write_text(page(model, target), encoding="utf-8")
        try:
            api = HfApi()
            exists = api.repo_exists(target)
            there = [name for name in (FILE, PAGE) if exists and api.file_exists(target, name)]
            if there and not force:
                raise InputError(f"{target} holds {' and '.join(there)} already; add --force to replace them")
            api.create_repo(target, private=private, exist_ok=True)
            api.upload_folder(repo_id=target, folder_path=folder_name, commit_message=f"noisekernel model {target}")
        except NoiseKernelError:
            raise
        except Exception as error:  # whatever the network and the Hub come up with
            raise NoiseKernelError(f"{target} cannot be pushed: {_first_line(error)}") from None
    return f"https://huggingface.co/{target}"


def pull(source: str, out: str | Path, *, revision: str | None = None, force: bool = False) -> Path:
    """Fetch a model into the folder `out`, after checking that it is one."""
    if is_folder(source):
        if revision:
            raise InputError("a folder has no revisions; leave --revision out")
        model = models.load(Path(source).expanduser(), "cpu")
    else:
        _check(source)
        from huggingface_hub import hf_hub_download

        try:
            model = models.load(hf_hub_download(source, FILE, revision=revision), "cpu")
        except NoiseKernelError:
            raise
        except Exception as error:  # whatever the network and the Hub come up with
            raise NoiseKernelError(f"{source} cannot be pulled: {_first_line(error)}") from None
    return models.save(model, out, force=force)


def _check(name: str) -> None:
    if name.count("/") != 1 or not all(name.split("/")):
        raise InputError(f"{name!r} is no repository of the Hub (OWNER/NAME), and no folder (./NAME)")


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
