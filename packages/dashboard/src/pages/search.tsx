export default function SearchPage() {
  return <p>To come.</p>
}
