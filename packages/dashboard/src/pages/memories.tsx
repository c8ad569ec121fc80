import { MemoryDetail } from '../memories/detail.tsx'
import { MemoryList } from '../memories/list.tsx'
import { route } from '../route.ts'

export default function MemoriesPage() {
  const { id } = route.value
  return id === undefined ? <MemoryList /> : <MemoryDetail key={id} id={id} />
}
