export default function ContradictionsPage() {
  return <p>To come.</p>
}
