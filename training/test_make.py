"""Checks the recipes of make.py without training anything.

    python3 training/test_make.py

The parsers of the scripts are read from their source, so PyTorch is not needed.
"""

import argparse
import ast
import contextlib
import io
import json
import re
import shlex
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import make
from make import RECIPES, ROOT, Places, Recipe, Step

TYPES = {"int": int, "float": float}
NPM = {"train:guard": "training/guard/main.ts", "train:profile": "training/profile/main.ts"}


class WrongArguments(Exception):
    pass


class Strict(argparse.ArgumentParser):
    def error(self, message):
        raise WrongArguments(message)


# The scripts' own parsers -----------------------------------------------------------------------------------------------


def calls_of(path):
    return [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]


def added_arguments(path):
    """Every `add_argument(…)` of a script, also of a module whose `arguments` it calls: (names, what matters of the rest)."""
    found = []
    for call in calls_of(path):
        if not isinstance(call.func, ast.Attribute):
            continue
        if call.func.attr == "add_argument":
            found.append(([word.value for word in call.args], settings_of(call)))
        elif call.func.attr == "arguments" and isinstance(call.func.value, ast.Name):
            found += added_arguments(module(path, call.func.value.id))
    return found


def settings_of(call):
    values = {word.arg: word.value for word in call.keywords if word.arg in ("type", "nargs", "action", "required", "choices")}
    settings = {name: ast.literal_eval(value) for name, value in values.items() if name != "type"}
    if "type" in values:
        settings["type"] = TYPES[values["type"].id]
    return settings


def module(path, name):
    """The file of an imported module: beside the script or in training/."""
    places = [folder / f"{name}.py" for folder in (path.parent, ROOT / "training")]
    return next(place for place in places if place.exists())


def parser_of(path):
    parser = Strict(prog=path.name, add_help=False, allow_abbrev=False)
    for names, settings in added_arguments(path):
        parser.add_argument(*names, **settings)
    return parser


def script_of(step):
    return ROOT / (NPM[step.command[2]] if step.command[0] == "npm" else step.command[1])


def every_step():
    return [(model, step) for model, recipe in RECIPES.items() for step in recipe.steps]


# The recipes ------------------------------------------------------------------------------------------------------------


class RecipesTest(unittest.TestCase):
    def test_scripts_exist(self):
        known = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["scripts"]
        for model, step in every_step():
            with self.subTest(model=model, step=step.name):
                self.assertTrue(script_of(step).is_file())
                if step.command[0] == "npm":
                    self.assertIn(NPM[step.command[2]], known[step.command[2]])

    def test_scripts_accept_their_arguments(self):
        for model, step in every_step():
            with self.subTest(model=model, step=step.name):
                if step.command[0] == "npm":
                    self.check_npm(step)
                else:
                    parser_of(script_of(step)).parse_args(Places(model).command(step)[2:])

    def check_npm(self, step):
        flags = [word[2:] for word in step.command if word.startswith("--") and word != "--"]
        options = script_of(step).read_text(encoding="utf-8").split("parseArgs(", 1)[1].split("})", 1)[0]
        for flag in flags:
            self.assertRegex(options, rf"\b{flag}: {{ type:")

    def test_wrong_arguments_are_found(self):
        script = ROOT / "training/multilingual/passages.py"
        right = "--data D --base B --start S --out O --cloze 0.4".split()
        parser_of(script).parse_args(right)
        for wrong in ([*right, "--unknown", "1"], [*right, "--seed", "one"], right[2:]):
            with self.assertRaises(WrongArguments):
                parser_of(script).parse_args(wrong)

    def test_inputs_are_there(self):
        """Each is written by an earlier step, ships, or belongs to a model that another recipe trains."""
        results = {model: {word for step in recipe.steps for word in step.writes} for model, recipe in RECIPES.items()}
        for model, recipe in RECIPES.items():
            written = set()
            for step in recipe.steps:
                for word in step.needs:
                    with self.subTest(model=model, step=step.name, word=word):
                        self.assertTrue(self.is_known(word, model, written, results))
                written |= set(step.writes)

    def is_known(self, word, model, written, results):
        other = make.model_of(word)
        if other is None:
            return word.startswith("BASE") or (ROOT / word).is_file()
        if other == model:
            return word in written
        stand_in = Places(model).of(word)
        return word in results[other] and (stand_in == "OUT/base" or (ROOT / stand_in).is_file())

    def test_everything_is_written_below_out(self):
        for model, step in every_step():
            with self.subTest(model=model, step=step.name):
                self.assertTrue(step.writes)
                targets = [after for before, after in zip(step.command, step.command[1:]) if before in make.TARGETS]
                self.assertTrue(targets)
                for word in (*step.writes, *targets):
                    self.assertTrue(f"{word}/".startswith(f"OUT/{model}/"))
                for word in step.writes:
                    self.assertTrue(any(f"{word}/".startswith(f"{target}/") for target in targets))

    def test_names_are_those_of_the_files(self):
        for model, recipe in RECIPES.items():
            self.assertEqual(len({step.name for step in recipe.steps}), len(recipe.steps), model)
            for step in recipe.steps:
                if "--name" in step.command:
                    self.assertEqual(step.command[step.command.index("--name") + 1], step.name)
                    self.assertTrue(Path(step.writes[0]).name.startswith(step.name))

    def test_results_are_written_and_replace_shipped_files(self):
        for model, recipe in RECIPES.items():
            written = {word for step in recipe.steps for word in step.writes}
            for result, target in recipe.results:
                with self.subTest(model=model, result=result):
                    self.assertIn(result, written)
                    self.assertTrue((ROOT / target).is_file())
            self.assertIn(recipe.steps[-1].writes[0], [result for result, _ in recipe.results])

    def test_shares_of_averages(self):
        shares = {"embed": ("keepsake-embed-7", [0.4, 0.3, 0.3]), "rerank": ("keepsake-rerank-6", [0.2, 0.4, 0.4])}
        for model, (name, wanted) in shares.items():
            command = next(step.command for step in RECIPES[model].steps if step.name == name)
            parts = command[command.index("--mean") + 1:]
            self.assertEqual([parts.count(part) / len(parts) for part in dict.fromkeys(parts)], wanted)

    def test_documented_commands_are_accepted(self):
        found = []
        for path in (ROOT / "training/README.md", *sorted((ROOT / "models").glob("*/README.md"))):
            found += re.findall(r"python3 training/make\.py([^`#\n]*)", path.read_text(encoding="utf-8"))
        for words in filter(None, map(str.strip, found)):
            with self.subTest(command=words):
                make.arguments([make_known(word) for word in shlex.split(words)])
        for model in RECIPES:
            self.assertTrue(any(words.split()[:1] == [model] for words in found), f"{model} is in no document")


def make_known(word):
    return "embed" if word == "MODEL" else word


# The program ------------------------------------------------------------------------------------------------------------


def output_of(*given):
    """(what it prints, how it ends)."""
    printed, wrong, end = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(wrong):
        try:
            make.main(list(given))
        except SystemExit as exit_of:
            end = exit_of.code
    return printed.getvalue() + wrong.getvalue(), end


class ProgramTest(unittest.TestCase):
    def test_a_dry_run_prints_all_and_runs_nothing(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch("subprocess.run") as run, mock.patch("shutil.copyfile") as copy:
            for model, recipe in RECIPES.items():
                out = Path(folder) / model
                text, end = output_of(model, "--dry-run", "--install", "--data", "nowhere", "--out", str(out))
                self.assertEqual(end, 0)
                lines = text.splitlines()
                for number, step in enumerate(recipe.steps, 1):
                    place = lines.index(f"[{number}/{len(recipe.steps)}] {step.name}")
                    self.assertIn(f"    {make.shown(Places(model, 'nowhere', out), step)}", lines[place:place + 3])
                self.assertFalse(out.exists())
            run.assert_not_called()
            copy.assert_not_called()

    def test_notes_are_printed(self):
        text, _ = output_of("names", "--dry-run")
        self.assertIn("The arguments of this round were not kept, and these are ours.", text)
        self.assertIn("the shipped models/keepsake-embed/weights.int8.safetensors takes its place", text)

    def test_the_list_names_every_model(self):
        text, end = output_of("--list")
        self.assertEqual(end, 0)
        for model in RECIPES:
            self.assertRegex(text, rf"(?m)^{model}: ")

    def test_wrong_usage(self):
        for given in ([], ["unknown"], ["embed"], ["embed", "--data", "D"], ["embed", "--unknown"]):
            with self.subTest(given=given):
                text, end = output_of(*given)
                self.assertEqual(end, 2)
                self.assertIn("usage:", text)

    def test_missing_inputs_are_told_in_one_line_before_anything_runs(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch("subprocess.run") as run:
            out = Path(folder) / "out"
            _, end = output_of("judge", "--data", f"{folder}/nowhere", "--out", str(out))
            self.assertIn(f"the data folder {Path(folder).resolve()}/nowhere", end)
            self.assertNotIn("\n", end)
            _, end = output_of("profile", "--data", folder, "--out", str(out))
            self.assertIn("msc/extraction.jsonl.gz in the data folder", end)
            self.assertFalse(out.exists())
            run.assert_not_called()


# Joins its name and what it reads, and counts how often it ran.
JOIN = ("import sys; from pathlib import Path; name, code, _, target, *reads = sys.argv[1:]; count = Path(target + '.count'); "
        "count.write_text(count.read_text() + '.' if count.exists() else '.'); "
        "Path(target).write_text(name + ''.join(Path(read).read_text() for read in reads)); sys.exit(int(code))")


def write_step(name, *reads, code=0):
    command = ("python3", "-c", JOIN, name, str(code), "--out", f"OUT/fake/{name}", *(f"OUT/fake/{read}" for read in reads))
    return Step(name, command, (f"OUT/fake/{name}",))


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name) / "out"
        self.recipe(write_step("one"), write_step("two", "one"), write_step("three", "two"))

    def recipe(self, *steps):
        recipe = Recipe(steps, ((steps[-1].writes[0], "models/fake"),), (), "CPU", "", ())
        patch = mock.patch.dict(RECIPES, fake=recipe)
        patch.start()
        self.addCleanup(patch.stop)

    def run_fake(self, *given):
        return output_of("fake", "--data", str(self.out.parent), "--out", str(self.out), *given)

    def runs(self, name):
        count = self.out / f"fake/{name}.count"
        return len(count.read_text()) if count.exists() else 0

    def all_runs(self):
        return [self.runs(name) for name in ("one", "two", "three")]

    def test_steps_run_in_order_and_only_once(self):
        self.assertEqual(self.run_fake()[1], 0)
        self.assertEqual((self.out / "fake/three").read_text(), "threetwoone")
        text, end = self.run_fake()
        self.assertEqual(end, 0)
        self.assertEqual(text.count("done before"), 3)
        self.assertEqual(self.all_runs(), [1, 1, 1])

    def test_again_repeats_all(self):
        self.run_fake()
        self.run_fake("--again")
        self.assertEqual(self.all_runs(), [2, 2, 2])

    def test_what_reads_a_new_file_is_repeated(self):
        self.run_fake()
        (self.out / "fake/two").unlink()
        self.run_fake()
        self.assertEqual(self.all_runs(), [1, 2, 2])

    def test_a_failing_step_stops_the_chain_and_is_not_taken_for_done(self):
        self.recipe(write_step("one"), write_step("two", "one", code=3), write_step("three", "two"))
        text, end = self.run_fake()
        self.assertIn("step two failed with exit code 3: python3 -c ", end)
        self.assertEqual(self.all_runs(), [1, 1, 0])
        # Its file is there, but may be incomplete.
        self.recipe(write_step("one"), write_step("two", "one"), write_step("three", "two"))
        self.assertEqual(self.run_fake()[1], 0)
        self.assertEqual(self.all_runs(), [1, 2, 1])

    def test_a_step_that_writes_nothing_fails(self):
        self.recipe(replace(write_step("one"), writes=("OUT/fake/other",)), write_step("two"))
        self.assertIn("step one ended without writing", self.run_fake()[1])
        self.assertEqual(self.runs("two"), 0)

    def test_install_copies_the_result(self):
        with tempfile.TemporaryDirectory() as root, mock.patch.object(make, "ROOT", Path(root)):
            (Path(root) / "models").mkdir()
            (Path(root) / make.BASE).mkdir(parents=True)
            (Path(root) / "models/manifest.mjs").write_text("process.exitCode = 4")
            _, end = self.run_fake()
            self.assertEqual(end, 0)
            self.assertFalse((Path(root) / "models/fake").exists())
            with mock.patch.object(make.subprocess, "run", return_value=mock.Mock(returncode=0)) as run:
                self.assertEqual(self.run_fake("--install")[1], 0)
            run.assert_called_once_with(["node", "models/manifest.mjs"], cwd=Path(root))
            self.assertEqual((Path(root) / "models/fake").read_text(), "threetwoone")


class PlacesTest(unittest.TestCase):
    def trained(self, out, model):
        for word in (word for step in RECIPES[model].steps for word in step.writes):
            path = Path(out) / word[len("OUT/"):]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()

    def test_a_model_that_was_trained_is_used(self):
        with tempfile.TemporaryDirectory() as out:
            places = Places("judge", out, out)
            self.assertEqual(places.stood_in(RECIPES["judge"]), ["embed", "rerank"])
            self.trained(out, "embed")
            self.trained(out, "rerank")
            self.assertEqual(places.stood_in(RECIPES["judge"]), [])
            self.assertEqual(places.of(make.RERANK_6), f"{Path(out).resolve()}/rerank/keepsake-rerank-6.int8.safetensors")
            self.assertFalse(make.needs_own_base(RECIPES["judge"], places))
            self.assertTrue(make.lacks_installed_embedder(RECIPES["judge"], places))
            self.assertTrue(make.has_other_pieces(RECIPES["names"], Places("names", out, out)))
            self.assertFalse(make.has_other_pieces(RECIPES["judge"], places))

    def test_half_of_a_model_is_not_used(self):
        with tempfile.TemporaryDirectory() as out:
            self.trained(out, "embed")
            places = Places("rerank", out, out)
            self.assertTrue(places.is_trained("embed"))
            (Path(out) / "embed/.keepsake-embed-7.unfinished").touch()
            self.assertFalse(places.is_trained("embed"))
            (Path(out) / "embed/.keepsake-embed-7.unfinished").unlink()
            (Path(out) / "embed/tokenizer.json").unlink()
            self.assertEqual(places.of("OUT/embed/base"), f"{Path(out).resolve()}/base")

    def test_the_base_that_stands_in_has_the_shipped_pieces(self):
        with tempfile.TemporaryDirectory() as root, mock.patch.object(make, "ROOT", Path(root)):
            (Path(root) / make.BASE).mkdir(parents=True)
            (Path(root) / "models").mkdir()
            (Path(root) / make.BASE / "config.json").write_text('{"vocab_size": 1, "hidden_size": 8}')
            (Path(root) / "models/tokenizer.multilingual.json").write_text('{"model": {"vocab": {"a": 0, "b": 1, "c": 2}}}')
            make.write_base(Places("judge", root, f"{root}/out"))
            self.assertEqual(json.loads((Path(root) / "out/base/config.json").read_text()), {"vocab_size": 3, "hidden_size": 8})
            self.assertTrue((Path(root) / "out/base/tokenizer.json").is_file())


if __name__ == "__main__":
    unittest.main()
