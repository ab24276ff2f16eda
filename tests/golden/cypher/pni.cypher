// $keys1 = [':German']
// $relation1 = 'speaks'
// $keys2 = [':NATO']
// $relation2 = 'member of'
// $relation3 = 'borders'
CALL () {
  UNWIND $keys1 AS key
  MATCH (x:Entity {id: key})
  WITH x
  MATCH (x)<-[:FACT {relation: $relation1}]-(y:Entity)
  WITH DISTINCT y AS x
  RETURN x, 1 AS hit
UNION ALL
  UNWIND $keys2 AS key
  MATCH (x:Entity {id: key})
  WITH x
  MATCH (x)<-[:FACT {relation: $relation2}]-(y:Entity)
  WITH DISTINCT y AS x
  MATCH (x)-[:FACT {relation: $relation3}]->(y:Entity)
  WITH DISTINCT y AS x
  RETURN x, -1 AS hit
}
WITH x, sum(hit) AS hits
WHERE hits = 1
WITH x
RETURN x.id AS id, x.name AS name
ORDER BY name, id
