export default function GraphPage() {
  return <p>To come.</p>
}
