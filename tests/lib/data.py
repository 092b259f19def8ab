"""The facts that tests compare with: tests/data, or the full sets, with descriptions, that TERRANE_DATA names."""
import json
import lzma
import os
import tarfile

from tap import ROOT, skip

HERE = os.path.join(ROOT, "tests", "data")
FOLDER = os.environ.get("TERRANE_DATA") or HERE
PROVIDERS = ("null", "gitea", "zitadel", "cloudflare", "digitalocean", "github", "azuread", "azurerm")


def path(*parts):
    return os.path.join(FOLDER, *parts)


def provider_set(name, folder):
    """Unpacks the schema of a real provider into the folder; with a configuration that takes the types that its Upjet provider has,
    over the one that Terrane ships for it: the paths of both."""
    schema, config = os.path.join(folder, "schema.json"), os.path.join(folder, "provider.yaml")
    os.makedirs(folder, exist_ok=True)
    with lzma.open(path("crossplane", name, "schema.json.xz")) as packed, open(schema, "wb") as plain:
        plain.write(packed.read())
    with open(path("crossplane", name, "kinds.tsv"), encoding="utf-8") as f:
        types = sorted({line.split("\t")[0] for line in list(f)[1:]})
    with open(config, "w", encoding="utf-8") as f:
        json.dump({"provider": name, "include": types}, f)
    return schema, config


def unpack(archive, folder):
    """The files of a tar, in the folder."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)


def documents(text):
    """Of a YAML text."""
    try:
        import yaml
    except ImportError:
        skip("tool:python3-yaml", "it is not installed")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return [d for d in yaml.load_all(text, Loader=loader) if d is not None]
