/** The console: a client of the gateway's public protocol (docs/protocol.md), and of nothing else. */

import { useCallback, useEffect, useMemo, useState } from "react";
import { load, type Preferences, remembered, save } from "./state/preferences";
import { go, useRoute } from "./state/route";
import { languageOf, textsIn, TextsContext } from "./texts";
import { Letters, Runs } from "./views/boards";
import { Icon } from "./views/icons";
import { LanguageContext } from "./views/language";
import { Settings } from "./views/settings";
import { Sidebar } from "./views/sidebar";
import { Talk } from "./views/talk";

export function App() {
  const route = useRoute();
  const [preferences, setPreferences] = useState<Preferences>(load);
  const [settings, setSettings] = useState(false);
  const [menu, setMenu] = useState(false);
  const language = languageOf(preferences.language);
  const texts = useMemo(() => textsIn(language), [language]);
  const { theme } = preferences;

  useEffect(() => {
    document.documentElement.lang = language;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [language, theme]);
  useEffect(() => save(preferences), [preferences]);
  useEffect(() => setMenu(false), [route]);

  const change = useCallback((changed: Partial<Preferences>) => setPreferences((now) => ({ ...now, ...changed })), []);
  const known = useCallback(
    (id: string, title: string, spoken: boolean) =>
      setPreferences((now) => ({
        ...now,
        sessions: remembered(now.sessions, { id, title, at: new Date().toISOString() }, spoken),
      })),
    [],
  );
  const forget = (id: string) => {
    change({ sessions: preferences.sessions.filter((session) => session.id !== id) });
    if (route.page === "talk" && route.session === id) go("/");
  };
  return (
    <LanguageContext value={language}>
      <TextsContext value={texts}>
        <div className={menu ? "console menu" : "console"}>
          <button type="button" className="quiet burger" onClick={() => setMenu(!menu)} aria-label={texts("app.menu")}>
            <Icon name="menu" />
          </button>
          <Sidebar
            route={route}
            sessions={preferences.sessions}
            onForget={forget}
            onSettings={() => setSettings(true)}
          />
          {route.page === "talk" && (
            <Talk session={route.session} preferences={preferences} onPreferences={change} onKnown={known} />
          )}
          {route.page === "runs" && <Runs />}
          {route.page === "letters" && <Letters />}
        </div>
        {settings && <Settings preferences={preferences} onChange={change} onClose={() => setSettings(false)} />}
      </TextsContext>
    </LanguageContext>
  );
}
