import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const GATEWAY = process.env.DREAM_GATEWAY ?? "http://127.0.0.1:8765";
const PATHS = ["/agent", "/artifacts", "/sessions", "/runs", "/dead-letters", "/health"];

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
      ...Object.fromEntries(PATHS.map((path) => [path, { target: GATEWAY, changeOrigin: true }])),
      "/ws": { target: GATEWAY, ws: true, changeOrigin: true },
    },
  },
  test: { environment: "node", include: ["src/**/*.test.ts"] },
});
