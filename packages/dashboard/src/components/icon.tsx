/** Line drawings on a 24 × 24 grid. They always have a text label, so they are hidden from screen readers. */
const drawings: Readonly<Record<string, string>> = {
  home: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 20 20',
  memories: 'M5 4h11l3 3v13H5zM8.5 10h7M8.5 13.5h7M8.5 17h4',
  graph:
    'M6 8.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM18 11a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM9 20.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8.4 6.6l7.2 1.6M6.5 8.5 8.4 15.6M16.6 10.6l-6 6',
  time: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4.5l3 2',
  decay: 'M4 5v15h16M7 7c1 7 4 10 12 10.5',
  contradictions: 'M4 8h13M13 4l4 4-4 4M20 16H7M11 12l-4 4 4 4',
  keys: 'M8.5 11a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM11.7 12.3 20 4M16 8l3 3M18.5 5.5l2 2',
  health: 'M3 12.5h4l2.5-6 4 11 2.5-5H21',
  theme: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  help: 'M9 9.2a3 3 0 1 1 4.4 2.6c-1 .6-1.4 1.1-1.4 2.2M12 17.3v.2',
  leave: 'M14 5H6v14h8M11 12h9M17 8.5l3.5 3.5-3.5 3.5',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  delete: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5',
  profile: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20c1-4 4-5.5 7.5-5.5s6.500 1.500 7.500 5.500',
  close: 'M6 6l12 12M18 6 6 18',
}

export function Icon({ name }: { readonly name: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={drawings[name] ?? ''} />
    </svg>
  )
}
