import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const GATEWAY = process.env.DREAM_GATEWAY ?? "http://127.0.0.1:8765";
// The gateway answers pages of its own origin only: to it, what is served here has to be one.
const PROXY = { target: GATEWAY, changeOrigin: true, headers: { origin: new URL(GATEWAY).origin } };
const PATHS = ["/agent", "/artifacts", "/sessions", "/runs", "/dead-letters", "/health", "/login", "/logout", "/me"];

// The gateway serves what is built from its own folder, so that a wheel and an image have it without a build of their own.
export default defineConfig({
  plugins: [react()],
  base: "./",
  build: {
    outDir: "../services/gateway/console",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    sourcemap: false,
  },
  server: {
    proxy: {
      ...Object.fromEntries(PATHS.map((path) => [path, PROXY])),
      "/ws": { ...PROXY, ws: true },
    },
  },
  test: { environment: "node", include: ["src/**/*.test.ts"] },
});
