/** Where a sentence is written, and files are put beside it. Nothing that was written is lost before it has been taken. */

import { type ClipboardEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { type Message, upload } from "../api/gateway";
import { type Draft, without } from "../state/draft";
import { useTexts } from "../texts";
import { FileChip } from "./files";
import { Icon } from "./icons";
import { Failure, messageOf, useCall } from "./parts";

interface Upload {
  name: string;
  part: number;
}

interface Props {
  session: string | null;
  /** Is given what takes files that were dropped anywhere on the page. */
  takes: RefObject<(files: Iterable<File>) => void>;
  asked: boolean;
  draft: Draft;
  onDraft: (change: (now: Draft) => Draft) => void;
  autoApprove: boolean;
  onAutoApprove: (on: boolean) => void;
  onSend: (message: Message) => Promise<void>;
}

export function Composer({ session, takes, asked, draft, onDraft, autoApprove, onAutoApprove, onSend }: Props) {
  const t = useTexts();
  const { files } = draft;
  const [busy, error, call] = useCall();
  const [uploads, setUploads] = useState<Upload[]>([]);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const area = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);

  useEffect(() => area.current?.focus(), []);
  useEffect(() => {
    const box = area.current;
    if (!box) return;
    // what an example or an offer put here can be sent by Enter
    if (draft.text && document.activeElement?.closest(".welcome")) box.focus();
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight, 240)}px`;
  }, [draft.text, asked]);

  const take = async (list: Iterable<File>) => {
    setRefused([]);
    for (const file of list) {
      const upto = (part: number) => setUploads((now) => [...now.filter((one) => one.name !== file.name), { name: file.name, part }]);
      upto(0);
      try {
        const stored = await upload(file, session, upto);
        onDraft(({ text, files }) => ({ text, files: [...files.filter((one) => one.artifact_id !== stored.artifact_id), stored] }));
      } catch (failure) {
        const why = `${file.name}: ${messageOf(failure, t)}`;
        setRefused((now) => [...now, why]);
      }
      setUploads((now) => now.filter((one) => one.name !== file.name));
    }
  };
  takes.current = (list) => void take(list);
  const send = async () => {
    const text = draft.text.trim();
    if (!text || uploads.length > 0) return;
    const message = { text, ...(files.length ? { attachments: [...files] } : {}), ...(autoApprove ? { auto_approve: true } : {}) };
    setRefused([]);
    if (await call(() => onSend(message))) onDraft((now) => without(now, draft));
    area.current?.focus();
  };
  const pressed = (event: KeyboardEvent) => {
    // Enter that ends the composing of a syllable sends nothing
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  const pasted = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    void take(event.clipboardData.files);
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {(files.length > 0 || uploads.length > 0) && (
        <div className="chips">
          {files.map((file) => (
            <FileChip key={file.artifact_id} file={file} onRemove={() => onDraft((now) => without(now, { text: "", files: [file] }))} />
          ))}
          {uploads.map((one) => (
            <span className="chip" key={one.name} role="status">
              {t("composer.uploading", { name: one.name, percent: Math.round(one.part * 100) })}
              <progress value={one.part} />
            </span>
          ))}
        </div>
      )}
      {refused.map((why) => (
        <p className="failure" role="alert" key={why}>
          {why}{" "}
          <button
            type="button"
            className="quiet"
            aria-label={t("app.close")}
            onClick={() => setRefused(refused.filter((other) => other !== why))}
          >
            <Icon name="close" />
          </button>
        </p>
      ))}
      <Failure text={error} />
      <textarea
        ref={area}
        rows={1}
        value={draft.text}
        placeholder={t(asked ? "composer.answer" : "composer.hint")}
        aria-label={t("composer.label")}
        onChange={({ target }) => onDraft((now) => ({ ...now, text: target.value }))}
        onKeyDown={pressed}
        onPaste={pasted}
      />
      <div className="row">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            void take([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
        <button type="button" className="quiet" onClick={() => picker.current?.click()}>
          <Icon name="clip" /> {t("composer.attach")}
        </button>
        <label title={t("composer.approve.help")}>
          <input type="checkbox" checked={autoApprove} onChange={(event) => onAutoApprove(event.target.checked)} />{" "}
          {t("composer.approve")}
        </label>
        <button type="submit" className="primary" disabled={busy || !draft.text.trim() || uploads.length > 0}>
          {t("composer.send")}
        </button>
      </div>
    </form>
  );
}
