import { MemoryDetail } from '../memories/detail.tsx'
import { MemoryList } from '../memories/list.tsx'
import { route } from '../route.ts'
import '../styles/memories.css'

/** The list, with the chosen memory beside it; on a small screen, only the memory. */
export default function MemoriesPage() {
  const { id } = route.value
  return (
    <div class={`memories ${id === undefined ? '' : 'with-detail'}`}>
      <MemoryList open={id} />
      {id !== undefined && <MemoryDetail key={id} id={id} />}
    </div>
  )
}
