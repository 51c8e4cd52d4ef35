/** The console: a client of the gateway's public protocol (docs/protocol.md), and of nothing else. */

import { useCallback, useEffect, useMemo, useState } from "react";
import { logOut, type Me, me, UNAUTHENTICATED } from "./api/gateway";
import { forgetDrafts } from "./state/draft";
import { load, type Preferences, remembered, save, watch } from "./state/preferences";
import { go, useRoute } from "./state/route";
import { useWaiting } from "./state/use-waiting";
import { languageOf, textsIn, TextsContext } from "./texts";
import { Letters, Runs } from "./views/boards";
import { Icon } from "./views/icons";
import { Elsewhere } from "./views/elsewhere";
import { LanguageContext } from "./views/language";
import { Login } from "./views/login";
import { Settings } from "./views/settings";
import { Sidebar } from "./views/sidebar";
import { Talk } from "./views/talk";

const NOBODY: Me = { auth: "keys", user: null, role: null };

/** A file that is dropped beside the place for it would be shown instead of this page. Returns what ends that. */
function keepPage(): () => void {
  const heed = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  };
  window.addEventListener("dragover", heed);
  window.addEventListener("drop", heed);
  return () => {
    window.removeEventListener("dragover", heed);
    window.removeEventListener("drop", heed);
  };
}

export function App() {
  const route = useRoute();
  const [preferences, setPreferences] = useState<Preferences>(load);
  const [settings, setSettings] = useState(false);
  const [menu, setMenu] = useState(false);
  const [who, setWho] = useState<Me>({ auth: "off", user: null, role: "operator" });
  const language = languageOf(preferences.language);
  const texts = useMemo(() => textsIn(language), [language]);
  const { theme } = preferences;

  useEffect(() => {
    document.documentElement.lang = language;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [language, theme]);
  useEffect(() => save(preferences), [preferences]);
  useEffect(() => watch(setPreferences), []);
  useEffect(keepPage, []);
  useEffect(() => setMenu(false), [route]);
  useEffect(() => {
    const look = () => void me().then(setWho, () => undefined); // a gateway that is away says so elsewhere
    const lost = () => setWho(NOBODY);
    look();
    window.addEventListener(UNAUTHENTICATED, lost);
    return () => window.removeEventListener(UNAUTHENTICATED, lost);
  }, []);

  const waiting = useWaiting(preferences.sessions, who.role !== null);

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
  if (who.role === null) {
    return (
      <LanguageContext value={language}>
        <TextsContext value={texts}>
          <Login onLoggedIn={setWho} />
        </TextsContext>
      </LanguageContext>
    );
  }
  const leave = () => {
    // what is listed here is the person's: whoever comes next does not see it
    void logOut().finally(() => setWho(NOBODY));
    change({ sessions: [] });
    forgetDrafts();
    go("/");
  };
  return (
    <LanguageContext value={language}>
      <TextsContext value={texts}>
        <div
          className={menu ? "console menu" : "console"}
          onKeyDown={(event) => event.key === "Escape" && setMenu(false)}
        >
          {menu && <div className="veil" onClick={() => setMenu(false)} />}
          <button type="button" className="quiet burger" onClick={() => setMenu(!menu)} aria-label={texts("app.menu")}>
            <Icon name="menu" />
          </button>
          <Sidebar
            route={route}
            sessions={preferences.sessions}
            onForget={forget}
            onSettings={() => setSettings(true)}
            who={who}
            onLeave={leave}
            waiting={waiting}
            user={preferences.user}
          />
          <Elsewhere waiting={waiting} shown={route.page === "talk" ? route.session : null} />
          {route.page === "talk" && (
            <Talk session={route.session} user={who.auth === "keys" ? "" : preferences.user} waiting={waiting.count} onKnown={known} />
          )}
          {route.page === "runs" && <Runs />}
          {route.page === "letters" && <Letters />}
        </div>
        {settings && <Settings named={who.auth === "off"} preferences={preferences} onChange={change} onClose={() => setSettings(false)} />}
      </TextsContext>
    </LanguageContext>
  );
}
