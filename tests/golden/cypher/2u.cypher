// $keys1 = [':France']
// $relation1 = 'borders'
// $keys2 = [':German']
// $relation2 = 'speaks'
CALL () {
  UNWIND $keys1 AS key
  MATCH (x:Entity {id: key})
  WITH x
  MATCH (x)-[:FACT {relation: $relation1}]->(y:Entity)
  WITH DISTINCT y AS x
  RETURN x
UNION
  UNWIND $keys2 AS key
  MATCH (x:Entity {id: key})
  WITH x
  MATCH (x)<-[:FACT {relation: $relation2}]-(y:Entity)
  WITH DISTINCT y AS x
  RETURN x
}
RETURN DISTINCT x.id AS id, x.name AS name
ORDER BY name, id
