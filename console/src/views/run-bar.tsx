/** The run that goes on, always in view above where one writes: whose turn it is, and what a person can do about it. */

import { control } from "../api/gateway";
import { inOrder, type Run } from "../state/run";
import { useTexts } from "../texts";
import { Failure, useCall } from "./parts";

export function RunBar({ session, run }: { session: string; run: Run }) {
  const t = useTexts();
  const [busy, error, call] = useCall();
  const steer = (what: string) => void call(() => control(session, run.id, what));
  const waits = run.questions[0];
  const todos = inOrder(run);
  const done = todos.filter((todo) => todo.stage === "done").length;
  const state = run.paused ? "status.paused" : waits ? "status.waiting" : "status.running";
  return (
    <div className={waits ? "run-bar waits" : "run-bar"} role="status">
      <strong className="state">{t(state)}</strong>
      {run.approved && !waits && todos.length > 0 && (
        <small>
          {done}/{todos.length}
        </small>
      )}
      {waits && (
        <button type="button" className="quiet question" onClick={() => show(waits.decision_id)}>
          {waits.question.split("\n")[0]}
        </button>
      )}
      <span className="controls">
        {run.paused ? (
          <button type="button" className="primary" disabled={busy} onClick={() => steer("resume")}>
            {t("control.resume")}
          </button>
        ) : (
          run.approved && (
            <>
              <button type="button" disabled={busy} title={t("control.pause.help")} onClick={() => steer("pause")}>
                {t("control.pause")}
              </button>
              <button type="button" disabled={busy} title={t("control.interrupt.help")} onClick={() => steer("interrupt")}>
                {t("control.interrupt")}
              </button>
            </>
          )
        )}
      </span>
      <button
        type="button"
        className="cancel"
        disabled={busy}
        onClick={() => (!run.approved || window.confirm(t("control.cancel.sure"))) && steer("cancel")}
      >
        {t("control.cancel")}
      </button>
      <Failure text={error} />
    </div>
  );
}

function show(decision: string): void {
  document.getElementById(`decision-${decision}`)?.scrollIntoView({ block: "center", behavior: "smooth" });
}
