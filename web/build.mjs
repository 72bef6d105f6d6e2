// SPDX-License-Identifier: Apache-2.0
// @ts-check
/// Puts the page together: node build.mjs PAGE TOOLS. PAGE gets what a web server serves (beside the .wasm files that
/// make_wasm.sh puts there), TOOLS the programs that run the pond under node.
import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [page, tools] = process.argv.slice(2);
if (!page || !tools) {
    console.error("Usage: node web/build.mjs PAGE_FOLDER TOOLS_FOLDER     (or: make page)");
    process.exit(2);
}

/// Scenes that are worth playing with; the first is the one that the page opens with.
const scenes = ["play", "fig10", "fig8", "fig9", "foam_push", "fig7", "island", "leapfrog", "dam"];

function writeScenes() {
    const entries = scenes.map((name) => {
        const text = readFileSync(join(here, `../scenes/pond/${name}.json`), "utf8");
        return { name, about: /"about":\s*"((?:\\.|[^"\\])*)"/.exec(text)?.[1] ?? name, text };
    });
    writeFileSync(join(page, "scenes.json"), JSON.stringify({ default: scenes[0], scenes: entries }));
}

mkdirSync(page, { recursive: true });
mkdirSync(tools, { recursive: true });
/** @type {import("esbuild").BuildOptions} */
const common = { bundle: true, minify: true, target: "es2022", legalComments: "none", logLevel: "warning" };
await build({ ...common, entryPoints: [join(here, "src/main.ts")], outfile: join(page, "page.js"), format: "esm" });
await build({ ...common, entryPoints: [join(here, "page.css")], outfile: join(page, "page.css") });
for (const program of ["pond", "check"])
    await build({
        ...common, minify: false, entryPoints: [join(here, `node/${program}.ts`)], outfile: join(tools, `${program}.mjs`),
        format: "esm", platform: "node", target: "node18",
    });
for (const file of ["index.html", "icon.svg"]) copyFileSync(join(here, file), join(page, file));
writeScenes();
