/** The conversations of this browser, the boards, and whether the gateway is well. */

import { useEffect, useState } from "react";
import { type Me, unready } from "../api/gateway";
import type { Known } from "../state/preferences";
import type { Waiting } from "../state/use-waiting";
import type { Route } from "../state/route";
import { useTexts } from "../texts";
import { Icon } from "./icons";

const LOOK_EVERY = 10_000;

interface Props {
  route: Route;
  sessions: readonly Known[];
  onForget: (id: string) => void;
  onSettings: () => void;
  who: Me;
  onLeave: () => void;
  waiting: Waiting;
  /** Who one says to be, where no keys are asked for. */
  user: string;
}

export function Sidebar({ route, sessions, onForget, onSettings, who, onLeave, waiting, user }: Props) {
  const t = useTexts();
  const shown = route.page === "talk" ? route.session : null;
  const here = (page: Route["page"]) => (route.page === page ? "page" : undefined);
  return (
    <nav className="sidebar" aria-label={t("app.menu")}>
      <a className="brand" href="#/">
        <img src="./icon.svg" alt="" /> Dream Agent
      </a>
      <a className="button primary" href="#/">
        + {t("app.new")}
      </a>
      <h2>{t("app.conversations")}</h2>
      <ul>
        {sessions.length === 0 && <li className="empty">{t("app.none")}</li>}
        {sessions.map((known) => (
          <li key={known.id} className={known.id === shown ? "shown" : undefined}>
            <a href={`#/sessions/${known.id}`} aria-current={known.id === shown ? "page" : undefined} title={known.title}>
              {waiting.of.has(known.id) && <span className="dot person" role="img" aria-label={t("status.waiting")} />} {known.title}
            </a>
            <button
              type="button"
              className="quiet"
              onClick={() => onForget(known.id)}
              aria-label={t("app.forget", { title: known.title })}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <footer>
        {who.role === "operator" && (
          <>
            <a href="#/runs" aria-current={here("runs")}>
              {t("app.runs")}
            </a>
            <a href="#/dead-letters" aria-current={here("letters")}>
              {t("app.letters")}
            </a>
          </>
        )}
        <button type="button" className="quiet" onClick={onSettings}>
          {t("app.settings")}
        </button>
        {who.auth === "off" && (
          <button type="button" className="quiet" title={t("settings.user.help")} onClick={onSettings}>
            {user ? t("app.as", { user }) : t("app.anonymous")}
          </button>
        )}
        {who.auth === "keys" && (
          <button type="button" className="quiet" onClick={onLeave}>
            {t("app.leave", { user: who.user ?? "" })}
          </button>
        )}
        <Wellness />
      </footer>
    </nav>
  );
}

function Wellness() {
  const t = useTexts();
  const [said, setSaid] = useState<string | null>(null);
  const [well, setWell] = useState(true);
  useEffect(() => {
    const look = () =>
      void unready().then(
        (problem) => {
          setWell(!problem);
          setSaid(problem ? t("app.unwell", { problem }) : t("app.well"));
        },
        () => {
          setWell(false);
          setSaid(t("app.unreachable"));
        },
      );
    look();
    const timer = setInterval(look, LOOK_EVERY);
    return () => clearInterval(timer);
  }, [t]);
  return (
    <small className="wellness" role="status">
      <span className={well ? "dot moving" : "dot stuck"} /> {said}
    </small>
  );
}
