import { defineConfig } from "vite"
import { withoutProse } from "./withoutProse.ts"

/** The console as static files: no inline script or style, so that the strictest content policy holds. */
export default defineConfig({
  plugins: [withoutProse()],
  build: {
    outDir: "dist/app",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    target: "es2022"
  },
  server: {
    proxy: { "/operator": process.env["BURSAR_OPERATOR_URL"] ?? "http://127.0.0.1:4101" }
  }
})
