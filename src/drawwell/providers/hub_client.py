"""The hub's own client, asked for the files of one model."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar

import httpx2
from huggingface_hub import HfApi, constants, set_client_factory
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
)
from huggingface_hub.utils.tqdm import disable_progress_bars

from drawwell.errors import ConfigurationError, DependencyError
from drawwell.providers import registry
from drawwell.providers.connections import certificates, check_address, find_key, first, http_errors, quieten_logs
from drawwell.providers.failures import ErrorTypes, Subject, explain
from drawwell.providers.folders import ONNX_PLACES, WANTED, config_value, leaves
from drawwell.providers.options import ProviderOptions

__all__ = ["Hub", "trust"]

_ERRORS = ErrorTypes(root=(HfHubHTTPError, HFValidationError)) | http_errors(httpx2)
_CHUNK = 1 << 20

T = TypeVar("T")


def trust(options: ProviderOptions) -> None:
    """Trust the user's certificates. The client has one HTTP client for all that it does, so all of it trusts them."""
    context = certificates(httpx2, options)
    constants.HF_HUB_DISABLE_XET = True  # that way of fetching has its own certificates
    set_client_factory(lambda: httpx2.Client(verify=context, follow_redirects=True, timeout=None))


class Hub:
    """One model on the hub.

    Args:
        name: owner and model with a slash between.
        options: certificates and environment.

    Raises:
        ConfigurationError: the address of the hub is none, or the token has odd characters.
    """

    def __init__(self, name: str, options: ProviderOptions) -> None:
        self._name = name
        key = find_key(name, options, "HF_TOKEN", "HUGGINGFACEHUB_API_TOKEN", needed=False)
        named = first(options.environment, "HF_ENDPOINT")
        address = check_address(name, named or constants.ENDPOINT, key)
        quieten_logs()
        disable_progress_bars()
        if options.ca_file:
            trust(options)
        self._subject = Subject(name, address, key.name)
        self._seconds = options.timeout_seconds
        # A token of the user's own login goes to the hub itself, not to whatever address is named.
        self._token = key.value or (False if named else None)
        self._api = HfApi(endpoint=address, token=self._token)

    def fetch(self, folder: Path, file: str, say: Callable[[str], None]) -> str:
        """Put the files that are needed into a folder.

        Args:
            folder: empty.
            file: the ONNX file to take; empty for the usual.
            say: told what is being fetched.

        Returns:
            Where they came from: the model and its commit.
        """
        about = self._asked(lambda: self._api.model_info(self._name, files_metadata=True, timeout=self._seconds))
        # Nobody's file is put beside the folder, whatever a hub calls it.
        files: dict[str, Any] = {one.rfilename: one for one in about.siblings or () if not leaves(one.rfilename)}
        commit = str(about.sha or "main")
        beside = folder.parent / "fetching"
        for name in WANTED:
            if name in files:
                self._file(files[name], commit, (beside, folder))
        for name in self._weights(folder, files, file):
            size = files[name].size
            say(f"fetching {name}" + (f" ({size / 1e6:,.1f} MB)" if size else ""))
            self._file(files[name], commit, (beside, folder))
        return f"{self._name}@{commit}"

    def _weights(self, folder: Path, names: Collection[str], file: str) -> list[str]:
        """The files that hold the model itself. What runs it is imported, so that nothing is fetched in vain."""
        static = config_value(folder, "config.json", "model_type") == "model2vec" and "model.safetensors" in names
        provider = "static" if static and not file else "onnx"
        registry.load_provider(provider, registry.EMBEDDERS[provider])
        if provider == "static":
            return ["model.safetensors"]
        if file and file not in names:
            known = ", ".join(name for name in names if name.endswith(".onnx")) or "none"
            raise ConfigurationError(f"{self._name} has no file {file}", f"Its ONNX files: {known}")
        chosen = file or next((name for name in ONNX_PLACES if name in names), "")
        chosen = chosen or next((name for name in sorted(names) if name.endswith(".onnx")), "")
        if not chosen:
            raise ConfigurationError(
                f"{self._name} has no ONNX file, and is no model2vec model",
                "Take one that has: drawwell models list names some",
            )
        return [chosen, *(name for name in (f"{chosen}_data", f"{chosen}.data") if name in names)]

    def _file(self, about: Any, commit: str, places: tuple[Path, Path]) -> None:
        """Fetch one file, see that it is what the hub says, and put it in its place."""
        beside, folder = places
        name = str(about.rfilename)
        got = Path(
            self._asked(
                lambda: self._api.hf_hub_download(
                    self._name, name, revision=commit, local_dir=beside, cache_dir=beside, token=self._token
                )
            )
        )
        sha256 = getattr(about.lfs, "sha256", None) if about.lfs else None
        if (about.size is not None and got.stat().st_size != about.size) or (sha256 and _sha256(got) != sha256):
            raise DependencyError(f"{self._name}: {name} is not what the hub says it is", "Try again later")
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(got, place)

    def _asked(self, request: Callable[[], T]) -> T:
        """What the client gives, its failures as ours."""
        try:
            return request()
        except OfflineModeIsEnabled:
            raise ConfigurationError(
                f"{self._name} is not fetched: HF_HUB_OFFLINE is set", "Unset it, or copy the model from a folder"
            ) from None
        except GatedRepoError:
            raise ConfigurationError(
                f"{self._name} is given only to who has agreed to its terms",
                f"Agree to them on the model's page, and set {self._subject.key_name} to a token",
            ) from None
        except HFValidationError:
            raise ConfigurationError(f"{self._name} is no name of a model on the hub", "Write OWNER/MODEL") from None
        except Exception as error:
            if self._hidden(error):
                raise ConfigurationError(
                    f"there is no model {self._name} at {self._subject.address}, or it is not open to all",
                    f"Check its name; for a private one set {self._subject.key_name}",
                ) from None
            if isinstance(error, OSError) and error.filename:  # of this machine's disk
                raise
            if "onsistency check" in str(error):
                raise DependencyError(
                    f"{self._name}: a file came with another size than the hub says", "Try again later"
                ) from None
            failure = explain(error, _ERRORS, self._subject)
            if failure is None:
                raise
            told = failure.error(self._subject)
        raise told from None

    def _hidden(self, error: Exception) -> bool:
        """Whether the hub knows no such model; to who sends no token it says 401 of those as of private ones."""
        status = error.response.status_code if isinstance(error, HfHubHTTPError) else 0
        return isinstance(error, RepositoryNotFoundError) or (status == 401 and not self._token)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
