import { createContext, useContext } from "react";
import type { Language } from "../texts";

/** The language of figures and dates. */
export const LanguageContext = createContext<Language>("en");

export function useLanguage(): Language {
  return useContext(LanguageContext);
}
