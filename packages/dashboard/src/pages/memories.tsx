export default function MemoriesPage() {
  return <p>To come.</p>
}
