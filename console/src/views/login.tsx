import { useState } from "react";
import { logIn, type Me } from "../api/gateway";
import { useTexts } from "../texts";
import { Failure, useCall } from "./parts";

/** Where a person shows their key, once; it is kept nowhere in the page. */
export function Login({ onLoggedIn }: { onLoggedIn: (me: Me) => void }) {
  const t = useTexts();
  const [busy, error, call] = useCall();
  const [key, setKey] = useState("");
  return (
    <main className="login">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void call(async () => onLoggedIn(await logIn(key.trim())));
        }}
      >
        <h1>
          <img src="./icon.svg" alt="" /> Dream Agent
        </h1>
        <label>
          {t("login.key")}
          <input
            type="password"
            autoFocus
            autoComplete="current-password"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
        <small>{t("login.help")}</small>
        <Failure text={error} />
        <button type="submit" className="primary" disabled={busy || !key.trim()}>
          {t("login.enter")}
        </button>
      </form>
    </main>
  );
}
