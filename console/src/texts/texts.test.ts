import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ALL, type Key, LANGUAGES, type Language, languageOf, textsIn } from ".";

const names = Object.keys(LANGUAGES) as Language[];
function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.name.endsWith(".tsx") || (entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))) {
      yield readFileSync(`${entry.parentPath}/${entry.name}`, "utf-8");
    }
  }
}

const holes = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

describe("the sentences of the page", () => {
  it.each(names)("are all there in %s, with the same values in them", (language) => {
    expect(Object.keys(ALL[language]).sort()).toEqual(Object.keys(ALL.en).sort());
    for (const [key, text] of Object.entries(ALL[language])) {
      expect(text.trim(), key).not.toBe("");
      expect(holes(text), key).toEqual(holes(ALL.en[key as Key]));
    }
  });

  it("are all shown somewhere", () => {
    const made = /^(actor|budget|what|error|stage|status|layer|skip|run|letters|settings\.theme|link|welcome\.example)\./;
    const shown = [...sources("src")].join("\n");
    const unused = Object.keys(ALL.en).filter((key) => !made.test(key) && !shown.includes(`"${key}"`));
    expect(unused).toEqual([]);
  });

  it("are filled in, and what is in a value is not filled in again", () => {
    expect(textsIn("en")("composer.uploading", { name: "{percent}", percent: 5 })).toBe("{percent}: 5 %");
  });

  it("are English where a language is not spoken", () => {
    expect([languageOf("ko"), languageOf("fr"), languageOf("toString")]).toEqual(["ko", "en", "en"]);
  });
});
