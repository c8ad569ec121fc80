interface PagerProps {
  readonly page: number
  readonly pages: number
  readonly go: (page: number) => void
}

export function Pager({ page, pages, go }: PagerProps) {
  if (pages <= 1) return null
  return (
    <nav class="row" aria-label="Pagination">
      <button type="button" class="button" disabled={page <= 1} onClick={() => go(page - 1)}>
        ← Newer
      </button>
      <span class="number">
        {page} of {pages}
      </span>
      <button type="button" class="button" disabled={page >= pages} onClick={() => go(page + 1)}>
        Older →
      </button>
    </nav>
  )
}
