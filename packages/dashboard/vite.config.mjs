import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  // Addresses are relative, so that the page works behind a prefix too.
  base: './',
  publicDir: false,
  // The sources, so that nothing has to be compiled before.
  resolve: { alias: { '@keepsake/client': here('../client/src/index.ts') } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: here('../server/dist/dashboard'),
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The policy of the page knows no inline scripts, and pictures in style sheets would be no smaller.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  // `npm run dev -w packages/dashboard` beside a running service.
  server: { proxy: { '/api': 'http://127.0.0.1:8787' } },
})
