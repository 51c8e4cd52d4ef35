/** A new Idempotency-Key. `crypto.randomUUID` is not there for pages that came over HTTP from another machine. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
