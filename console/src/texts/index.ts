/** The page's sentences, by key, in the language that the person chose. */

import { createContext, useContext } from "react";
import en from "./en.json";
import ja from "./ja.json";
import ko from "./ko.json";

export type Key = keyof typeof en;
export type Language = "en" | "ja" | "ko";
export type Texts = (key: Key, values?: Record<string, string | number>) => string;

export const LANGUAGES: Record<Language, string> = { ko: "한국어", en: "English", ja: "日本語" };
export const ALL: Record<Language, Record<Key, string>> = { en, ja, ko };

export function isKey(name: string): name is Key {
  return Object.hasOwn(en, name);
}

export function languageOf(name: string): Language {
  return Object.hasOwn(ALL, name) ? (name as Language) : "en";
}

export function textsIn(language: Language): Texts {
  return (key, values = {}) => ALL[language][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export const TextsContext = createContext<Texts>(textsIn("en"));

export function useTexts(): Texts {
  return useContext(TextsContext);
}
