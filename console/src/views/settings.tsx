import type { Preferences } from "../state/preferences";
import { LANGUAGES, languageOf, useTexts } from "../texts";
import { Dialog } from "./parts";

interface Props {
  /** Whether a person may say who they are: where keys are asked for, the key says it. */
  named: boolean;
  preferences: Preferences;
  onChange: (change: Partial<Preferences>) => void;
  onClose: () => void;
}

/** What a person can set of this page; all of it stays in the browser. */
export function Settings({ named, preferences, onChange, onClose }: Props) {
  const t = useTexts();
  return (
    <Dialog title={t("settings.title")} onClose={onClose}>
      <label>
        {t("settings.language")}
        <select value={languageOf(preferences.language)} onChange={(event) => onChange({ language: event.target.value })}>
          {Object.entries(LANGUAGES).map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("settings.theme")}
        <select
          value={preferences.theme}
          onChange={(event) => onChange({ theme: event.target.value as Preferences["theme"] })}
        >
          {(["system", "light", "dark"] as const).map((theme) => (
            <option key={theme} value={theme}>
              {t(`settings.theme.${theme}`)}
            </option>
          ))}
        </select>
      </label>
      {named && (
        <label>
          {t("settings.user")}
          <input value={preferences.user} maxLength={200} onChange={(event) => onChange({ user: event.target.value })} />
          <small>{t("settings.user.help")}</small>
        </label>
      )}
    </Dialog>
  );
}
