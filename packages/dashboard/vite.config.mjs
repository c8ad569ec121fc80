import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  // Relative addresses, so that the page works behind a path prefix.
  base: './',
  publicDir: false,
  // Uses the sources, so that the client does not have to be compiled first.
  resolve: { alias: { '@keepsake/client': here('../client/src/index.ts') } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: here('../server/dist/dashboard'),
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The content security policy allows no inline scripts, and inlining images in style sheets would not save anything.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  // `npm run dev -w packages/dashboard` beside a running service.
  server: { proxy: { '/api': 'http://127.0.0.1:8787' } },
})
