export default function KeysPage() {
  return <p>To come.</p>
}
