/** Files: those that a person brings, and those that were made. */

import { useEffect, useState } from "react";
import { artifactUrl, profile } from "../api/gateway";
import type { Attachment, JsonObject } from "../api/types";
import { useTexts } from "../texts";
import { Icon } from "./icons";
import { useLanguage } from "./language";
import { sizeOf } from "./parts";

const FEW = 6;

/** A file as one line, with what was found in it when it arrived. */
export function FileChip({ file, onRemove }: { file: Attachment; onRemove?: () => void }) {
  const t = useTexts();
  const language = useLanguage();
  const about = useProfile(file);
  return (
    <span className="chip">
      <a href={artifactUrl(file)} target="_blank" rel="noreferrer">
        {file.name}
      </a>
      <small>{about ?? sizeOf(file.size, language)}</small>
      {onRemove && (
        <button type="button" className="quiet" onClick={onRemove} aria-label={t("composer.detach", { name: file.name })}>
          <Icon name="close" />
        </button>
      )}
    </span>
  );
}

function useProfile(file: Attachment): string | null {
  const t = useTexts();
  const language = useLanguage();
  const [found, setFound] = useState<JsonObject | null>(null);
  // of a document nobody knows more, and the gateway says so with an error
  const table = file.type === "file.table";
  useEffect(() => {
    if (!table) return;
    let gone = false;
    profile(file).then(
      (profiled) => gone || setFound(profiled.found.find((one) => one.result)?.result ?? null),
      () => undefined, // nobody has looked yet: the size says enough
    );
    return () => {
      gone = true;
    };
  }, [file.artifact_id, table]);
  if (!found) return null;
  if (!Array.isArray(found.columns) || typeof found.rows !== "number") return null;
  const names = found.columns.map((column) => String((column as JsonObject).name));
  const columns = names.slice(0, FEW).join(", ") + (names.length > FEW ? " …" : "");
  return t("file.table", { rows: found.rows.toLocaleString(language), columns });
}

/** Files that were made, as pictures, films and pages where a browser can show them. */
export function Made({ files, primary }: { files: readonly Attachment[]; primary: string | null | undefined }) {
  const first = [...files].sort((a, b) => Number(b.artifact_id === primary) - Number(a.artifact_id === primary));
  return (
    <div className="made">
      {first.map((file) => (
        <MadeFile key={file.artifact_id + file.name} file={file} />
      ))}
    </div>
  );
}

function MadeFile({ file }: { file: Attachment }) {
  const t = useTexts();
  const language = useLanguage();
  const url = artifactUrl(file);
  const [open, setOpen] = useState(false);
  const pdf = file.media_type === "application/pdf";
  return (
    <figure className="file">
      <Shown file={file} url={url} />
      {pdf && open && <iframe src={url} title={file.name} />}
      <figcaption>
        <span>{file.name}</span>
        <small>
          {[typeof file.meta?.pages === "number" && t("file.pages", { pages: file.meta.pages }), sizeOf(file.size, language)]
            .filter(Boolean)
            .join(" · ")}
        </small>
        {pdf && (
          <button type="button" onClick={() => setOpen(!open)} aria-expanded={open}>
            {open ? t("app.close") : t("answer.open", { name: "PDF" })}
          </button>
        )}
        <a className="button" href={url} download={file.name} aria-label={t("answer.download", { name: file.name })}>
          <Icon name="down" />
        </a>
      </figcaption>
    </figure>
  );
}

function Shown({ file, url }: { file: Attachment; url: string }) {
  if (file.media_type.startsWith("image/")) {
    return (
      <a href={url} target="_blank" rel="noreferrer">
        <img src={url} alt={file.name} loading="lazy" />
      </a>
    );
  }
  if (file.media_type.startsWith("video/")) return <video src={url} controls preload="metadata" />;
  if (file.media_type.startsWith("audio/")) return <audio src={url} controls preload="metadata" />;
  return null;
}
